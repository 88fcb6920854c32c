"""What becomes of the Service, the autoscaler, the budget and the route of a Deployment."""

from typing import Any

import pytest

from app.cli.importing.comparison import Weight
from tests.cli.importing.given import container, deployment, result_of, service, spec_of, with_spec
from tests.requests.builders import Json

HTTP: Json = {"name": "http", "containerPort": 8080}
PORTS = deployment(container(ports=[HTTP]))
CPU = deployment(container(resources={"requests": {"cpu": "1", "memory": "128Mi"}, "limits": {"memory": "128Mi"}}))


OWN = service("shop", {"name": "http", "port": 80, "targetPort": 8080})


def made(api_version: str, kind: str, spec: Json, **metadata: Any) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", **metadata}, "spec": spec}


def scaler(name: str = "shop", **spec: Any) -> Json:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    return made("autoscaling/v2", "HorizontalPodAutoscaler", {"scaleTargetRef": target, "maxReplicas": 4, **spec})


def metric(name: str, kind: str = "Utilization", **more: Any) -> Json:
    target = {"type": kind, "averageUtilization": 80}
    return {"type": "Resource", "resource": {"name": name, "target": target}, **more}


EXTERNAL: Json = {
    "type": "External",
    "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "5"}},
}


def budget(**spec: Any) -> Json:
    return made("policy/v1", "PodDisruptionBudget", {"selector": {"matchLabels": {"app": "shop"}}, **spec})


def ingress(*paths: str, host: str = "shop.example.com", port: Json | None = None, **metadata: Any) -> Json:
    backend = {"service": {"name": "shop", "port": port or {"number": 80}}}
    found = [{"path": path, "pathType": "Prefix", "backend": backend} for path in paths or "/"]
    return made("networking.k8s.io/v1", "Ingress", {"rules": [{"host": host, "http": {"paths": found}}]}, **metadata)


def http_route(*names: str, **backend: Any) -> Json:
    spec = {
        "parentRefs": [{"name": "shared", "namespace": "gateways"}],
        "hostnames": ["shop.example.com"],
        "rules": [{"backendRefs": [{"name": name, "port": 80, **backend} for name in names or ("shop",)]}],
    }
    return made("gateway.networking.k8s.io/v1", "HTTPRoute", spec)


SERVICES = {
    "by name": (service("shop", {"port": 80, "targetPort": "http"}), {"ports": [{**HTTP, "servicePort": 80}]}),
    "the same number": (service("shop", {"port": 8080}), {"ports": [HTTP]}),
    "a port that no container lists": (
        service("shop", {"port": 80, "targetPort": 8080}, {"name": "dns", "port": 53, "protocol": "UDP"}),
        {"ports": [{**HTTP, "servicePort": 80}, {"containerPort": 53, "protocol": "UDP", "name": "dns"}]},
    ),
    "as it is stored": (
        service(
            "shop",
            {"port": 8080, "targetPort": 8080},
            clusterIP="10.0.0.7",
            clusterIPs=["10.0.0.7"],
            type="ClusterIP",
            internalTrafficPolicy="Cluster",
            sessionAffinity="ClientIP",
            sessionAffinityConfig={"clientIP": {"timeoutSeconds": 10800}},
            uid="1",
        ),
        {"ports": [HTTP], "service": {"sessionAffinity": "ClientIP"}},
    ),
    "load balancer as it is stored": (
        service("shop", {"port": 8080, "nodePort": 30000}, type="LoadBalancer", uid="1"),
        {"ports": [HTTP], "service": {"type": "LoadBalancer"}},
    ),
    "of another name": (service("front"), {"ports": [HTTP], "service": {"mode": "Disabled"}}),
    "of other Pods": (service("shop", selector={"app": "other"}), {"ports": [HTTP], "service": {"mode": "Disabled"}}),
}


@pytest.mark.parametrize(("given", "spec"), SERVICES.values(), ids=SERVICES)
def test_a_service_of_its_name_gives_the_ports(given: Json, spec: Json) -> None:
    result = result_of(PORTS, given)

    assert spec_of(PORTS, given) == {"image": "shop:1", **spec}
    assert result.is_whole


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (service("shop", {"port": 80, "targetPort": 8080}, {"name": "b", "port": 81, "targetPort": 8080}), "ports[81]"),
        (service("shop", {"port": 8080, "nodePort": 30000}, type="NodePort"), "ports[8080].nodePort"),
        (service("shop", {"port": 8080, "nodePort": 30000}, type="LoadBalancer"), "ports[8080].nodePort"),
        (service("shop", {"port": 8080}, clusterIP="10.0.0.7"), "clusterIP"),
        (service("shop", {"port": 8080}, type="LoadBalancer", externalTrafficPolicy="Local"), "externalTrafficPolicy"),
        (service("shop", {"port": 8080, "targetPort": "gone"}), "ports[8080]"),
    ],
)
def test_what_the_operators_service_cannot_have_is_left_out(given: Json, words: str) -> None:
    assert [said for said in result_of(PORTS, given).said[Weight.LOST] if f"Service shop: spec.{words}" in said]


def test_an_annotation_that_a_service_cannot_keep_is_said_of_the_service() -> None:
    given = {**OWN, "metadata": {"name": "shop", "annotations": {"a b": "c"}}}

    (lost,) = result_of(PORTS, given).said[Weight.LOST]

    assert lost.startswith("Service shop: metadata.annotations.a b: ")


def test_a_service_of_a_label_that_goes_says_what_to_do() -> None:
    label = {"app.kubernetes.io/part-of": "x"}
    lost = result_of(deployment(labels=label), service("front", selector=label)).said[Weight.LOST]

    assert "Service front: it does not select the new Pods; change its selector to myresource: shop" in lost


def test_a_service_says_what_changes_for_those_who_use_it() -> None:
    manifest = deployment(container(ports=[HTTP, {"name": "metrics", "containerPort": 9090}]))
    given = service("shop", {"name": "web", "port": 80, "targetPort": "http"})
    given["metadata"]["labels"] = {"app.kubernetes.io/name": "web"}

    assert result_of(manifest, given).said[Weight.CHANGED] == [
        "Service shop: while the old one exists, Ready is NameConflict: see Move a Deployment",
        "Service shop: spec.ports[80].name is http",
        "Service shop: it has spec.ports[9090], too",
        "Service shop: metadata.labels.app.kubernetes.io/name is shop",
    ]


def test_the_labels_of_what_becomes_a_part_are_propagated() -> None:
    given = {
        **OWN,
        "metadata": {"name": "shop", "labels": {"team": "a", "app.kubernetes.io/version": "1", "tier": "b"}},
    }
    manifest = {**PORTS, "metadata": {"name": "shop", "labels": {"tier": "web"}}}
    result = result_of(manifest, given)

    assert result.my_resource is not None
    assert result.my_resource["metadata"]["labels"] == {"tier": "web", "team": "a"}
    assert result.my_resource["spec"]["propagate"] == {"labels": ["team"]}
    assert [said.partition(": ")[2].partition(":")[0] for said in result.said[Weight.LOST]] == [
        "metadata.labels.app.kubernetes.io/version",
        "metadata.labels.tier",
    ]


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        pytest.param(scaler(metrics=[metric("cpu")]), {"targetCPUUtilizationPercentage": 80}, id="cpu"),
        pytest.param(
            scaler(metrics=[metric("memory"), metric("cpu")], minReplicas=2),
            {"targetMemoryUtilizationPercentage": 80, "targetCPUUtilizationPercentage": 80, "minReplicas": 2},
            id="both",
        ),
        pytest.param(
            {**scaler(targetCPUUtilizationPercentage=80), "apiVersion": "autoscaling/v1"},
            {"targetCPUUtilizationPercentage": 80},
            id="v1",
        ),
        pytest.param(scaler(), {"targetCPUUtilizationPercentage": 80}, id="the default of Kubernetes"),
    ],
)
def test_an_autoscaler_of_cpu_and_memory_becomes_autoscaling(given: Json, asked: Json) -> None:
    result = result_of(with_spec(CPU, replicas=3), given)

    assert any("the autoscaler chooses the number" in said for said in result.said[Weight.CHANGED])
    assert spec_of(with_spec(CPU, replicas=3), given) == {
        "image": "shop:1",
        "cpu": "1",
        "autoscaling": {"maxReplicas": 4, **asked},
    }
    assert result.is_whole


@pytest.mark.parametrize(
    ("manifest", "given", "words"),
    [
        pytest.param(CPU, scaler(metrics=[metric("cpu"), EXTERNAL]), "spec.metrics[1]", id="external"),
        pytest.param(CPU, scaler(metrics=[metric("cpu", kind="Value")]), "target.type", id="value"),
        pytest.param(
            CPU, {**scaler(), "metadata": {"name": "x", "annotations": {"a": "b"}}}, "metadata", id="metadata"
        ),
        pytest.param(deployment(), scaler(metrics=[metric("cpu")]), "requires cpu", id="no request"),
    ],
)
def test_another_autoscaler_is_left_out(manifest: Json, given: Json, words: str) -> None:
    (lost,) = result_of(manifest, given).said[Weight.LOST]

    assert lost.startswith("HorizontalPodAutoscaler x: ")
    assert words in lost
    assert lost.endswith("; point it to Deployment shop-deployment")
    assert "autoscaling" not in spec_of(manifest, given)
    assert "autoscaling" not in spec_of(CPU, scaler("other", metrics=[metric("cpu")]))


@pytest.mark.parametrize(
    ("given", "replicas", "is_own"),
    [
        (budget(maxUnavailable=1, unhealthyPodEvictionPolicy="AlwaysAllow"), 2, True),
        (budget(maxUnavailable=1, unhealthyPodEvictionPolicy="AlwaysAllow"), 1, False),
        (budget(maxUnavailable=1), 2, False),
        (budget(minAvailable=1), 2, False),
    ],
)
def test_a_budget_as_the_operators_becomes_a_field_and_others_stay(given: Json, replicas: int, is_own: bool) -> None:  # noqa: FBT001 - a parameter
    result = result_of(with_spec(deployment(), replicas=replicas), given)

    assert result.my_resource is not None
    assert ("podDisruptionBudget" in result.my_resource["spec"]) is is_own
    assert any("PodDisruptionBudget x stays as it is" in said for said in result.said[Weight.CHANGED]) is not is_own
    assert result.is_whole


ROUTES = {
    "an Ingress": (ingress(), {}),
    "a port by name": (ingress(port={"name": "http"}), {}),
    "a name that no port has": (ingress(port={"name": "other"}), None),
    "annotations": (ingress(annotations={"example.com/rewrite": "x"}), None),
    "an HTTPRoute": (http_route(), {"gateway": {"name": "shared", "namespace": "gateways"}}),
    "a weight": (http_route(weight=7), None),
    "several paths": (ingress("/a", "/b"), None),
    "several backends": (http_route("shop", "other"), None),
}


@pytest.mark.parametrize(("given", "expose"), ROUTES.values(), ids=ROUTES)
def test_a_route_of_one_host_and_path_becomes_expose_and_others_stay(given: Json, expose: Json | None) -> None:
    result = result_of(PORTS, OWN, given)

    found = spec_of(PORTS, OWN, given).get("expose")
    assert found == (None if expose is None else {"host": "shop.example.com", **expose})
    stays = [said for said in result.said[Weight.CHANGED] if said.startswith(f"{given['kind']} x stays as it is, as ")]
    assert bool(stays) is (expose is None)
    assert result.is_whole


@pytest.mark.parametrize("given", [scaler(metrics=[metric("cpu")]), ingress()], ids=["an autoscaler", "a route"])
@pytest.mark.parametrize("name", ["shop", "x"])
def test_what_becomes_a_field_conflicts_if_the_child_has_the_same_name(name: str, given: Json) -> None:
    pod = container(**CPU["spec"]["template"]["spec"]["containers"][0], ports=[HTTP])
    result = result_of(deployment(pod), OWN, {**given, "metadata": {"name": name}})

    conflict = f"{given['kind']} {name}: while the old one exists, Ready is NameConflict: see Move a Deployment"
    assert (conflict in result.said[Weight.CHANGED]) is (name == "shop")


def test_a_route_to_other_services_is_not_mentioned() -> None:

    assert result_of(PORTS, OWN, http_route("one", "two")) == result_of(PORTS, OWN)


def test_a_route_to_another_port_names_it() -> None:
    manifest = deployment(container(ports=[HTTP, {"name": "admin", "containerPort": 90}]))
    own = service("shop", {"name": "http", "port": 8080}, {"name": "admin", "port": 90})

    assert spec_of(manifest, own, ingress(port={"number": 90}))["expose"] == {
        "host": "shop.example.com",
        "port": "admin",
    }


IN = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["shop"]}]}
EXISTS = {"matchLabels": {"app": "shop"}, "matchExpressions": [{"key": "tier", "operator": "Exists"}]}
NOT_IN = {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["shop"]}]}
ABSENT = {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}


@pytest.mark.parametrize(
    ("selector", "is_own"),
    [(IN, True), (ABSENT, True), (EXISTS, False), (NOT_IN, False), ({}, False)],
    ids=["In", "DoesNotExist", "Exists", "NotIn", "all Pods of the namespace"],
)
def test_a_budget_is_one_of_the_pods_that_its_whole_selector_selects(selector: Json, *, is_own: bool) -> None:
    given = budget(selector=selector, maxUnavailable=1, unhealthyPodEvictionPolicy="AlwaysAllow")

    found = spec_of(with_spec(deployment(), replicas=2), given).get("podDisruptionBudget")

    assert found == ("Auto" if is_own else None)


def test_a_second_budget_for_the_same_pods_is_said() -> None:
    given = [budget(maxUnavailable=1, unhealthyPodEvictionPolicy="AlwaysAllow") for _ in range(2)]
    given[1]["metadata"]["name"] = "y"

    said = result_of(with_spec(deployment(), replicas=2), *given).said[Weight.CHANGED]

    assert any("x: delete it with the Deployment" in each for each in said)
    assert any("y stays as it is, and a Pod with two of them can't be evicted" in each for each in said)


def test_a_port_of_the_service_that_no_container_has_is_called_by_its_name() -> None:
    given = service("shop", {"port": 80, "targetPort": "http"}, {"port": 81, "targetPort": "grpc"})

    lost = result_of(PORTS, given).said[Weight.LOST]

    assert [each for each in lost if each.endswith("no container has a port called grpc")]
