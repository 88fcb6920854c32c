"""Mistakes of imports that users met: each is an example of what tests/cli/importing/every_field.py judges."""

from typing import Any

import pytest

from app.cli.bound import problems
from app.cli.importing.comparison import Weight
from app.cli.importing.kubernetes import quantity
from tests.cli.importing.given import container, deployment, result_of, service, spec_of, with_spec
from tests.requests.builders import Json

POD = "spec.template.spec"
MAIN = f"{POD}.containers[shop]"
TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "shop"}}}

SPREAD = {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
EMPTY_SELECTOR = "matchLabels or matchExpressions must be set: an empty selector matches every Pod in the namespace"


def one(**fields: Any) -> Json:
    return deployment(container(**fields))


def pod(**fields: Any) -> Json:
    return deployment(pod=fields)


def affinity(**fields: Any) -> Json:
    return pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**TERM, **fields}, TERM]}})


def lost(manifest: Json, *others: Json) -> list[str]:
    return result_of(manifest, *others).said[Weight.LOST]


@pytest.mark.parametrize(
    ("manifest", "path"),
    [
        (pod(hostUsers=False), f"{POD}.hostUsers"),
        (pod(enableServiceLinks=False), f"{POD}.enableServiceLinks"),
        (
            affinity(namespaceSelector={}),
            f"{POD}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]",
        ),
        (with_spec(one(), paused=True), "spec.paused"),
    ],
)
def test_false_and_empty_values_that_mean_something_are_named(manifest: Json, path: str) -> None:
    (said,) = lost(manifest)

    assert said.startswith(f"{path}: a MyResource has no field for it")


def test_what_the_api_server_refuses_of_a_new_myresource_is_left_out() -> None:
    hints = {"service.kubernetes.io/topology-aware-hints": "Auto", "service.kubernetes.io/topology-mode": "Disabled"}
    with_hints = service()
    with_hints["metadata"]["annotations"] = hints
    key = {"fieldRef": {"fieldPath": f"metadata.labels['{'a.' * 126}ab/x']"}}

    result = result_of(one(resources={"limits": {"memory": "5Mi"}}, env=[{"name": "A", "valueFrom": key}]), with_hints)

    assert result.my_resource
    assert problems(result.my_resource) == []
    assert len(result.said[Weight.LOST]) == 3


@pytest.mark.parametrize(
    "manifest",
    [
        one(livenessProbe={"tcpSocket": {"port": 80}, "timeoutSeconds": 0}),
        pod(hostUsers=True, shareProcessNamespace=False, setHostnameAsFQDN=False),
        one(securityContext={"privileged": False, "procMount": "Default", "capabilities": {}}, stdin=False),
        with_spec(one(), progressDeadlineSeconds=600, paused=False),
    ],
)
def test_what_means_the_default_is_not_named(manifest: Json) -> None:
    assert lost(manifest) == []


def test_one_resource_goes_alone() -> None:
    limits = {"cpu": 2, "memory": "4Gi", "hugepages-2Mi": "64Mi"}
    manifest = one(resources={"limits": limits, "requests": {"memory": "4Gi", "hugepages-2Mi": "64Mi"}})

    assert spec_of(manifest)["resources"] == {"limits": {"cpu": "2", "memory": "4Gi"}, "requests": {"memory": "4Gi"}}
    assert [said.partition(": ")[0] for said in lost(manifest)] == [
        f"{MAIN}.resources.limits.hugepages-2Mi",
        f"{MAIN}.resources.requests.hugepages-2Mi",
    ]


def test_a_comment_says_which_limit_of_memory_applies_where_one_is_lost() -> None:
    result = result_of(one(resources={"limits": {"memory": "4Mi"}}))

    assert (
        f"{MAIN}: the memory request and limit default to 128Mi: set memory to the most that it needs"
        in (result.said[Weight.CHANGED])
    )


@pytest.mark.parametrize(
    ("mount", "field"),
    [
        ({"subPathExpr": "$(POD)"}, "subPathExpr"),
        ({"readOnly": True, "recursiveReadOnly": "Enabled"}, "recursiveReadOnly"),
    ],
)
def test_a_field_that_changes_what_its_parent_means_takes_it_along(mount: Json, field: str) -> None:
    mounts = [{"name": "v", "mountPath": "/a", **mount}, {"name": "v", "mountPath": "/b"}]
    manifest = deployment(container(volumeMounts=mounts), pod={"volumes": [{"name": "v", "emptyDir": {}}]})

    assert spec_of(manifest)["volumeMounts"] == [{"name": "v", "mountPath": "/b"}]
    assert lost(manifest) == [
        f"{MAIN}.volumeMounts[/a]: a MyResource has no field for its {field}, which changes what it means"
    ]


def test_of_two_ports_with_one_number_only_the_second_goes() -> None:
    ports = [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP", "name": "dns"}, {"containerPort": 8080}]
    given = service("shop", {"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "http", "port": 8080})
    manifest = one(ports=ports)

    assert spec_of(manifest, given)["ports"] == [{"containerPort": 53}, {"containerPort": 8080, "name": "http"}]
    assert [said.partition(": each")[0] for said in lost(manifest, given)] == [
        f"{MAIN}.ports[53/UDP]",
        "Service shop: spec.ports[53/UDP]",
    ]


@pytest.mark.parametrize(
    ("written", "resource", "stored"),
    [
        (0.0005, "cpu", "1m"),
        ("1.0001", "cpu", "1001m"),
        ("1u", "cpu", "1m"),
        ("0.1Gi", "memory", "107374183"),
        ("1e3", "memory", "1k"),
        ("1024Mi", "memory", "1Gi"),
        ("0", "cpu", "0"),
    ],
)
def test_amounts_round_up(written: float | str, resource: str, stored: str) -> None:
    assert quantity(written, resource) == stored


def test_a_tiny_request_of_cpu_is_not_none() -> None:
    assert spec_of(one(resources={"requests": {"cpu": 0.0005}}))["cpu"] == "1m"


def test_a_reason_is_that_of_its_own_field() -> None:
    probe = {"tcpSocket": {"port": 80}, "timeoutSeconds": 9999}
    manifest = deployment(container(readinessProbe=probe), pod={"shareProcessNamespace": True})

    assert lost(manifest) == [
        f"{MAIN}.readinessProbe: its timeoutSeconds must be less than or equal to 3600 (1 h)",
        f"{POD}.shareProcessNamespace: a MyResource has no field for it",
    ]


def test_one_source_of_a_projected_volume_goes_alone() -> None:
    sources = [{"configMap": {"name": "a"}}, {"serviceAccountToken": {"path": "t"}}, {"secret": {"name": "b"}}]
    manifest = pod(volumes=[{"name": "ca", "projected": {"sources": sources}}])

    assert spec_of(manifest)["volumes"] == [{"name": "ca", "projected": {"sources": [sources[0], sources[2]]}}]
    assert lost(manifest) == [f"{POD}.volumes[ca].projected.sources[1]: no token of a ServiceAccount is mounted"]


def test_comments_have_the_words_of_yaml() -> None:
    said = [*result_of(one(terminationMessagePath="")).said.values()]
    manifest = deployment(container(), container("b", volumeMounts=[{"name": "x", "mountPath": "/x"}]))
    said += result_of(manifest, container="shop").said.values()

    assert not [sentence for sentences in said for sentence in sentences if "{'" in sentence or "None" in sentence]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"progressDeadlineSeconds": 2**31 - 1},
            [
                "progressDeadlineSeconds: must be less than or equal to 86400 (24 h): there is no value for never",
                "600 ap",
            ],
        ),
        (
            {"revisionHistoryLimit": 500},
            ["revisionHistoryLimit: must be less than or equal to 100; 10 applies instead"],
        ),
    ],
)
def test_a_limit_says_the_largest_value_and_what_applies_instead(fields: Json, words: list[str]) -> None:
    (said,) = lost(with_spec(one(), **fields))

    assert all(word in said for word in words)


def test_what_depends_on_a_lost_field_goes_alone() -> None:
    hook = {"preStop": {"sleep": {"seconds": 100}}}
    manifest = deployment(container(lifecycle=hook), pod={"terminationGracePeriodSeconds": 7200})
    manifest = with_spec(manifest, minReadySeconds=700, progressDeadlineSeconds=2**31 - 1)

    assert spec_of(manifest) == {"image": "shop:1"}
    assert {said.partition(":")[0] for said in lost(manifest)} == {
        "spec.progressDeadlineSeconds",
        "spec.minReadySeconds",
        f"{POD}.terminationGracePeriodSeconds",
        f"{MAIN}.lifecycle.preStop",
    }


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (
            one(lifecycle={"preStop": {"sleep": {"seconds": 0}}}),
            f"{MAIN}.lifecycle.preStop: its sleep.seconds must be greater than or equal to 1",
        ),
        (
            one(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"key": "a"}}}]),
            f"{MAIN}.env[A]: its valueFrom.configMapKeyRef.name is required",
        ),
        (
            pod(topologySpreadConstraints=[{**SPREAD, "labelSelector": {}}]),
            f"{POD}.topologySpreadConstraints[zone/DoNotSchedule]: in its labelSelector, {EMPTY_SELECTOR}",
        ),
    ],
)
def test_a_reason_is_a_true_sentence(manifest: Json, said: str) -> None:
    assert lost(manifest) == [said]


def test_a_field_that_kubernetes_does_not_have_is_named() -> None:
    (said,) = lost(one(imagePullPolice="Always"))
    why = "Kubernetes has no such field; did you mean imagePullPolicy?"

    assert said == f"{POD}.containers[shop].imagePullPolice: {why}"
    assert lost(one(quite="other")) == [f"{POD}.containers[shop].quite: Kubernetes has no such field"]


def test_finalizers_and_owners_are_named() -> None:
    manifest = deployment()
    owner = {"apiVersion": "example.com/v1", "kind": "Shop", "name": "a", "uid": "1"}
    manifest["metadata"] |= {"finalizers": ["example.com/keep"], "ownerReferences": [owner]}

    assert [said.partition(":")[0] for said in lost(manifest)] == ["metadata.finalizers", "metadata.ownerReferences"]


def test_of_variables_with_one_name_the_last_one_counts() -> None:
    manifest = one(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}])

    assert spec_of(manifest)["env"] == [{"name": "A", "value": "2"}]
    assert lost(manifest) == []


def test_a_variable_that_is_set_again_behind_a_reference_to_it_is_said() -> None:
    again = [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}, {"name": "A", "value": "2"}]

    assert any("A is set again after a variable that refers to it" in each for each in lost(one(env=again)))
    assert spec_of(one(env=[again[0], {"name": "B", "value": "b"}, again[2]]))["env"] == [
        {"name": "B", "value": "b"},
        again[2],
    ]
    assert lost(one(env=[again[0], again[2], again[1]])) == []


def test_misspelt_metadata_is_said() -> None:
    manifest = deployment()
    manifest["metadata"] |= {"lables": {"a": "b"}, "uid": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}

    assert lost(manifest) == ["metadata.lables: Kubernetes has no such field; did you mean labels?"]
