"""What becomes of a Deployment: its fields, what a MyResource changes, and what it can't have."""

from typing import Any

import pytest

from app.cli.importing.comparison import Weight
from tests.cli.importing.given import container, deployment, result_of, spec_of, with_spec
from tests.requests.builders import Json

NON_ROOT = {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}
MEMORY = {"memory": "1Gi"}
HOST = {"name": "logs", "hostPath": {"path": "/var/log"}}
MAIN = "spec.template.spec.containers[shop]"


def one(**fields: Any) -> Json:
    return deployment(container(**fields))


def pod(**fields: Any) -> Json:
    return deployment(pod=fields)


SPECS = {
    "defaults of a MyResource": (one(), {}),
    "defaults": (with_spec(one(), replicas=1, revisionHistoryLimit=10, strategy={"type": "RollingUpdate"}), {}),
    "resources in short": (
        one(resources={"requests": {**MEMORY, "cpu": "0.5"}, "limits": MEMORY}),
        {"memory": "1Gi", "cpu": "500m"},
    ),
    "env": (
        one(
            env=[
                {"name": "A", "value": ""},
                {"name": "B", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            ]
        ),
        {"env": [{"name": "A"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]},
    ),
    "defaults of a probe": (
        one(
            livenessProbe={
                "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
                "successThreshold": 1,
                "initialDelaySeconds": 0,
                "periodSeconds": 5,
            }
        ),
        {"livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 5}},
    ),
    "defaults of a container": (
        one(imagePullPolicy="IfNotPresent", terminationMessagePath="/dev/termination-log", stdin=False),
        {},
    ),
    "pull policy": (one(imagePullPolicy="Always"), {"imagePullPolicy": "Always"}),
    "account by its old name": (pod(serviceAccount="robot"), {"serviceAccountName": "robot"}),
    "no source is emptyDir": (pod(volumes=[{"name": "a"}]), {"volumes": [{"name": "a", "emptyDir": {}}]}),
    "defaults of a Pod": (pod(dnsPolicy="ClusterFirst", enableServiceLinks=True, hostNetwork=False, affinity=None), {}),
    "read-only": (
        one(securityContext={"readOnlyRootFilesystem": True, "privileged": False}),
        {"readOnlyRootFilesystem": True},
    ),
    "restricted": (
        deployment(
            container(securityContext={"capabilities": {"drop": ["all"], "add": ["CAP_NET_BIND_SERVICE"]}}),
            pod={"securityContext": {"runAsNonRoot": True, "runAsUser": 7}},
        ),
        {"capabilities": {"add": ["NET_BIND_SERVICE"]}, "securityProfile": "Restricted", "runAsUser": 7},
    ),
    "restricted by its user": (
        one(securityContext={"runAsUser": 7, "capabilities": {"drop": ["ALL"]}}),
        {"securityProfile": "Restricted", "runAsUser": 7},
    ),
    "sidecar": (
        deployment(
            container(ports=[{"containerPort": 80}]),
            container("proxy", ports=[{"name": "a", "containerPort": 81}], livenessProbe={"tcpSocket": {"port": "a"}}),
        ),
        {
            "ports": [{"containerPort": 80}],
            "initContainers": [
                {
                    "name": "proxy",
                    "image": "proxy:1",
                    "livenessProbe": {"tcpSocket": {"port": "a"}},
                    "ports": [{"name": "a", "containerPort": 81}],
                    "restartPolicy": "Always",
                }
            ],
            "service": {"mode": "Disabled"},
        },
    ),
}


@pytest.mark.parametrize(("manifest", "spec"), SPECS.values(), ids=SPECS)
def test_what_a_spec_has_is_in_it_and_defaults_are_not(manifest: Json, spec: Json) -> None:
    result = result_of(manifest, container="shop")

    assert spec_of(manifest, container="shop") == {"image": "shop:1", **spec}
    assert result.is_whole


@pytest.mark.parametrize(
    ("manifest", "path", "why"),
    [
        (pod(hostNetwork=True), "spec.template.spec.hostNetwork", "opens the node"),
        (one(ports=[{"containerPort": 80, "hostPort": 80}]), f"{MAIN}.ports[80].hostPort", "opens the node"),
        (pod(volumes=[HOST]), "spec.template.spec.volumes[logs]", "use a PersistentVolumeClaim"),
        (one(volumeMounts=[{"name": "x", "mountPath": "/x"}]), f"{MAIN}.volumeMounts[/x]", "its volume x is left out"),
        (one(securityContext={"privileged": True}), f"{MAIN}.securityContext.privileged", "opens the node"),
        (one(securityContext={"allowPrivilegeEscalation": True}), f"{MAIN}.securityContext.allowP", "more privileges"),
        (
            one(securityContext={"capabilities": {"add": ["SYS_TIME"]}}),
            f"{MAIN}.securityContext.capabilities.add",
            "NET_B",
        ),
        (
            one(securityContext={"capabilities": {"drop": ["ALL"]}}),
            f"{MAIN}.securityContext.capabilities.drop",
            "Restricted",
        ),
        (one(securityContext={"runAsUser": 0}), f"{MAIN}.securityContext.runAsUser", "it is not root"),
        (
            one(securityContext={"seccompProfile": {"type": "Unconfined"}}),
            f"{MAIN}.securityContext.seccompProfile",
            "RuntimeD",
        ),
        (
            deployment(container(), container("proxy", securityContext={"runAsUser": 7})),
            "spec.template.spec.containers[proxy].securityContext.runAsUser",
            "the same user",
        ),
        (
            deployment(container(securityContext={"runAsUser": 7}), container("proxy")),
            f"{MAIN}.securityContext.runAsUser",
            "the same user",
        ),
        (pod(automountServiceAccountToken=True), "spec.template.spec.automountServiceAccountToken", "no token"),
        (
            pod(priorityClassName="system-node-critical"),
            "spec.template.spec.priorityClassName",
            "not start with system-",
        ),
        (one(tty=True), f"{MAIN}.tty", "no field for it"),
        (one(resources={"limits": {"memory": "4Mi"}}), f"{MAIN}.resources.limits.memory", "at least 6Mi"),
        (with_spec(one(), paused=True), "spec.paused", "no field for it"),
        (deployment(labels={"app.kubernetes.io/part-of": "x"}), "spec.template.metadata.labels.app.k", "are reserved"),
    ],
)
def test_what_it_cannot_have_is_named_with_its_path_and_reason(manifest: Json, path: str, why: str) -> None:
    (lost,) = result_of(manifest, container="shop").said[Weight.LOST]

    assert lost.startswith(path)
    assert why in lost


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        (one(resources={}), "memory request and limit default to 128Mi"),
        (
            one(securityContext=NON_ROOT, resources={"limits": {"cpu": "1"}}),
            "memory request and limit default to 128Mi",
        ),
        (one(securityContext={"runAsNonRoot": True}), "has no capabilities"),
        (one(securityContext={"runAsUser": 7, "capabilities": {"drop": ["ALL"]}}), "must not run as root"),
        (pod(serviceAccountName="robot"), "no token of ServiceAccount robot is mounted"),
        (deployment(container(), container("proxy")), "container proxy is a sidecar"),
        (one(ports=[{"containerPort": 80}]), "no Service of this name is given"),
    ],
)
def test_a_value_that_had_to_change_is_said(manifest: Json, words: str) -> None:
    result = result_of(manifest, container="shop")

    assert [said for said in result.said[Weight.CHANGED] if words in said]
    assert result.is_whole


def test_what_every_my_resource_changes_is_said_apart() -> None:
    assert result_of(deployment(container("web"))).said == {
        Weight.ALWAYS: [
            "the container is called main, not web",
            "the Pods have the labels myresource and app.kubernetes.io/instance, managed-by and name",
            "the seccomp profile is RuntimeDefault",
            "no process can get more privileges than its parent",
            "no token of the ServiceAccount is mounted",
        ],
        Weight.CHANGED: [],
        Weight.LOST: [],
    }


def test_pods_keep_the_labels_by_which_others_select_them() -> None:
    resource = result_of(deployment()).my_resource

    assert resource is not None
    assert resource["spec"]["podMetadata"] == {"labels": {"app": "shop"}}


def test_users_metadata_stays_and_that_of_kubectl_goes() -> None:
    manifest = deployment()
    manifest["metadata"] |= {
        "namespace": "team-a",
        "labels": {"team": "a"},
        "annotations": {"deployment.kubernetes.io/revision": "3", "example.com/owner": "b"},
        "uid": "x",
        "managedFields": [{}],
    }

    resource = result_of(manifest).my_resource

    assert resource is not None
    assert resource["metadata"] == {
        "name": "shop",
        "namespace": "team-a",
        "labels": {"team": "a"},
        "annotations": {"example.com/owner": "b"},
    }


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        (deployment(name="9shop"), "metadata.name: must"),
        (deployment(container("a"), container("b")), "its containers are a, b: choose"),
        (one(image="no image:"), f"{MAIN}.image: must be an image reference"),
    ],
)
def test_a_deployment_without_a_my_resource_says_why(manifest: Json, why: str) -> None:
    result = result_of(manifest)

    assert result.my_resource is None
    assert [said for said in result.said[Weight.LOST] if said.startswith(why)]


def test_a_template_may_have_empty_metadata() -> None:
    manifest = deployment(container("main"))
    manifest["spec"]["template"]["metadata"] = None

    assert spec_of(manifest)["image"] == "main:1"


@pytest.mark.parametrize(
    ("names", "annotations"), [(["a", "main"], {}), (["b", "a"], {"kubectl.kubernetes.io/default-container": "b"})]
)
def test_the_container_of_the_application_may_be_known(names: list[str], annotations: Json) -> None:
    manifest = deployment(*map(container, names))
    manifest["spec"]["template"]["metadata"]["annotations"] = annotations

    chosen = names[0] if annotations else "main"
    assert spec_of(manifest)["image"] == f"{chosen}:1"
    assert spec_of(manifest, container="a")["image"] == "a:1"
