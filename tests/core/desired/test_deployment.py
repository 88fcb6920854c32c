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
    assert [port["targetPort"] for port in child(answer, "Service")["spec"]["ports"]] == ["http"]
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


def test_references_to_the_pods_own_fields_carry_all_defaults() -> None:
    """Otherwise each sync under dynamic-apply would differ from what the API server stores."""
    field, resource = {"fieldPath": "metadata.name"}, {"resource": "limits.memory"}
    sources: list[Json] = [{"fieldRef": field}, {"resourceFieldRef": resource}]
    files = {"downwardAPI": {"items": [{"path": f"{number}", **source} for number, source in enumerate(sources)]}}

    made = pod(
        env=[{"name": f"V{number}", "valueFrom": source} for number, source in enumerate(sources)],
        volumes=[{"name": "about", "projected": {"sources": [{"configMap": {"name": "a"}}, files]}}],
    )

    whole = [
        {"fieldRef": {"apiVersion": "v1", **field}},
        {"resourceFieldRef": {"containerName": "main", "divisor": "0", **resource}},
    ]
    assert [variable["valueFrom"] for variable in made["containers"][0]["env"]] == whole
    assert made["volumes"][0]["projected"]["sources"] == [
        {"configMap": {"name": "a"}},
        {"downwardAPI": {"items": [{"path": f"{number}", **source} for number, source in enumerate(whole)]}},
    ]
