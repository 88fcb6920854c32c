from typing import Any

import pytest

from tests.requests.builders import Json, child, my_resource, sync


def deployment(**spec: Any) -> Json:
    return child(sync(my_resource(**spec)), "Deployment")


def container(**spec: Any) -> Json:
    found: Json = deployment(**spec)["spec"]["template"]["spec"]["containers"][0]
    return found


def pod(**spec: Any) -> Json:
    found: Json = deployment(**spec)["spec"]["template"]["spec"]
    return found


@pytest.mark.parametrize(
    ("spec", "resources"),
    [
        ({"memory": "1024Mi"}, {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}),
        ({"cpu": "0.5"}, {"requests": {"cpu": "500m", "memory": "128Mi"}, "limits": {"memory": "128Mi"}}),
        (
            {"resources": {"limits": {"cpu": 2}}},
            {"requests": {"memory": "128Mi"}, "limits": {"cpu": "2", "memory": "128Mi"}},
        ),
        ({"resources": {"requests": {"memory": "1Gi"}}}, {"requests": {"memory": "1Gi"}}),
        (
            {"cpu": 1, "resources": {"limits": {"memory": "1Gi"}}},
            {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}},
        ),
    ],
    ids=["canonical", "cpu is a request", "resources beside memory", "resources win", "a limit alone"],
)
def test_resources_fill_up_with_memory_and_cpu(spec: Json, resources: Json) -> None:
    assert container(**spec)["resources"] == resources


def test_the_restricted_profile_meets_the_pod_security_standard() -> None:
    spec = pod(securityProfile="Restricted")

    assert spec["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}, "runAsNonRoot": True}
    assert spec["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }


@pytest.mark.parametrize("profile", ["Baseline", "Restricted"])
def test_each_container_has_its_own_hardening_beside_that_of_the_profile(profile: str) -> None:
    bare = container(securityProfile=profile)["securityContext"]
    sidecar = {"name": "a", "image": "a:1", "restartPolicy": "Always", "readOnlyRootFilesystem": True}
    bind = {"capabilities": {"add": ["NET_BIND_SERVICE"]}}
    init = {"name": "b", "image": "b:1", "readOnlyRootFilesystem": False, "capabilities": {"add": []}}

    made = pod(securityProfile=profile, initContainers=[sidecar, init], **bind)

    assert made["containers"][0]["securityContext"] == {
        **bare,
        "capabilities": {"add": ["NET_BIND_SERVICE"], **bare.get("capabilities", {})},
    }
    assert [each["securityContext"] for each in made["initContainers"]] == [
        {**bare, "readOnlyRootFilesystem": True},
        bare,
    ]


def test_the_ports_of_a_sidecar_are_its_own_and_not_the_services() -> None:
    sidecar = {"name": "a", "image": "a:1", "restartPolicy": "Always", "ports": [{"name": "http", "containerPort": 81}]}
    ports = [{"name": "http", "containerPort": 80, "servicePort": 8080}]

    answer = sync(my_resource(initContainers=[sidecar], ports=ports))

    made = child(answer, "Deployment")["spec"]["template"]["spec"]
    assert made["initContainers"][0]["ports"] == [{"name": "http", "containerPort": 81, "protocol": "TCP"}]
    assert made["containers"][0]["ports"] == [{"name": "http", "containerPort": 80, "protocol": "TCP"}]
    assert [port["targetPort"] for port in child(answer, "Service")["spec"]["ports"]] == [80]
    assert not any(each["kind"] == "Service" for each in sync(my_resource(initContainers=[sidecar]))["children"])


@pytest.mark.parametrize("profile", ["Baseline", "Restricted"])
def test_ids_of_user_and_groups_are_the_pods_in_each_profile(profile: str) -> None:
    ids = {"runAsUser": 101, "runAsGroup": 102, "fsGroup": 2**31 - 1}

    spec = pod(securityProfile=profile, **ids)

    assert spec["securityContext"] == {**pod(securityProfile=profile)["securityContext"], **ids}
    assert spec["containers"][0]["securityContext"].keys().isdisjoint(ids)


def test_the_strategy_is_always_whole() -> None:
    half = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}}

    assert deployment(strategy={"type": "Recreate"})["spec"]["strategy"] == {"type": "Recreate"}
    assert deployment(strategy={"rollingUpdate": {"maxSurge": 1}})["spec"]["strategy"] == half
    assert deployment(strategy={})["spec"]["strategy"] == deployment()["spec"]["strategy"]


OF_DEPLOYMENT: Json = {"minReadySeconds": 5, "progressDeadlineSeconds": 300, "revisionHistoryLimit": 3}
OF_POD: Json = {
    "terminationGracePeriodSeconds": 45,
    "priorityClassName": "high",
    "serviceAccountName": "robot",
    "nodeSelector": {"disk": "ssd"},
    "dnsConfig": {"searches": ["example.com"], "options": [{"name": "edns0"}]},
    "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["old"]}],
}
OF_CONTAINER: Json = {
    "command": ["/run"],
    "args": ["--fast"],
    "env": [{"name": "A", "value": "1"}],
    "imagePullPolicy": "Always",
    "lifecycle": {"postStart": {"exec": {"command": ["warm"]}}, "preStop": {"sleep": {"seconds": 5}}},
}


def test_what_the_user_says_goes_to_the_place_that_kubernetes_has_for_it() -> None:
    made = deployment(**OF_DEPLOYMENT, **OF_POD, **OF_CONTAINER)["spec"]
    spec = made["template"]["spec"]

    assert OF_DEPLOYMENT.items() <= made.items()
    assert {**OF_POD, "serviceAccount": "robot"}.items() <= spec.items()
    assert OF_CONTAINER.items() <= spec["containers"][0].items()


def test_the_sources_of_a_projected_volume_carry_all_defaults() -> None:
    files = [
        {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
        {"path": "memory", "resourceFieldRef": {"resource": "limits.memory"}},
    ]
    sources = [{"configMap": {"name": "about"}}, {"downwardAPI": {"items": files}}]

    (volume,) = pod(volumes=[{"name": "about", "projected": {"sources": sources}}])["volumes"]

    assert volume["projected"]["sources"] == [
        {"configMap": {"name": "about"}},
        {
            "downwardAPI": {
                "items": [
                    {"path": "labels", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.labels"}},
                    {
                        "path": "memory",
                        "resourceFieldRef": {"containerName": "main", "divisor": "0", "resource": "limits.memory"},
                    },
                ]
            }
        },
    ]


def test_pod_metadata_and_a_restart_reach_the_pods_alone() -> None:
    made = deployment(
        podMetadata={"labels": {"team": "red"}, "annotations": {"note": "x"}}, restartedAt="2026-01-31T12:00:00Z"
    )
    template = made["spec"]["template"]["metadata"]

    assert template["labels"] == {"team": "red", **made["metadata"]["labels"]}
    assert template["annotations"] == {"note": "x", "mygroup.example.com/restartedAt": "2026-01-31T12:00:00Z"}
    assert "team" not in made["metadata"]["labels"]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("localhost:5000/nginx", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("localhost:5000/nginx:1.27", "IfNotPresent"),
        (f"nginx@sha256:{'0' * 64}", "IfNotPresent"),
        (f"nginx:latest@sha256:{'0' * 64}", "Always"),
    ],
)
def test_the_pull_policy_follows_the_tag(image: str, policy: str) -> None:
    assert container(image=image)["imagePullPolicy"] == policy


def test_references_to_the_pods_own_fields_carry_all_defaults() -> None:
    sources = [{"fieldRef": {"fieldPath": "metadata.name"}}, {"resourceFieldRef": {"resource": "limits.cpu"}}]
    plain = {"name": "PLAIN", "value": "1"}
    key = {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}
    env = [{"name": f"V{place}", "valueFrom": source} for place, source in enumerate(sources)]

    assert container(env=[*env, plain, key])["env"] == [
        {"name": "V0", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
        {
            "name": "V1",
            "valueFrom": {"resourceFieldRef": {"containerName": "main", "divisor": "0", "resource": "limits.cpu"}},
        },
        plain,
        key,
    ]


@pytest.mark.parametrize("profile", ["Baseline", "Restricted"])
def test_an_init_container_is_as_the_container_of_the_application_but_for_its_fields(profile: str) -> None:
    memory = {"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}}}
    spec = deployment(
        securityProfile=profile,
        image="app:1",
        env=[memory],
        initContainers=[
            {"name": "init", "image": "app:1", "env": [memory]},
            {"name": "proxy", "image": "proxy", "restartPolicy": "Always", "memory": "64Mi", "cpu": "1"},
        ],
    )["spec"]["template"]["spec"]
    (main,), (init, proxy) = spec["containers"], spec["initContainers"]

    assert init["env"][0]["valueFrom"]["resourceFieldRef"].pop("containerName") == "init"
    assert main["env"][0]["valueFrom"]["resourceFieldRef"].pop("containerName") == "main"
    assert {**init, "name": "main"} == main
    assert proxy == {
        "name": "proxy",
        "image": "proxy",
        "imagePullPolicy": "Always",
        "resources": {"requests": {"memory": "64Mi", "cpu": "1"}, "limits": {"memory": "64Mi"}},
        "securityContext": main["securityContext"],
        "restartPolicy": "Always",
    }
