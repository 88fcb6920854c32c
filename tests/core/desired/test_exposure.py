import json
from typing import Any

import pytest

from metahook.protocol.request_builder import customize_request
from metahook.simulator.metacontroller.children import with_last_applied
from tests.requests.builders import (
    EARLIER_TEXT,
    MYRESOURCE,
    NOW_TEXT,
    Json,
    child,
    condition,
    finished,
    grouped,
    kinds,
    my_resource,
    owned,
    sync,
)

HTTP = {"name": "http", "containerPort": 8080, "servicePort": 80}
GATEWAY = {"name": "shared", "namespace": "gateways"}
HOST = "web.example.com"


def exposed(name: str = "web", uid: str = "u-web", **expose: Any) -> Json:
    return my_resource(name, uid=uid, ports=[HTTP], expose={"host": HOST, **expose})


def route_of(parent: Json, created: str | None = EARLIER_TEXT) -> Json:
    """Return the Ingress or HTTPRoute of *parent* as it is in the cluster."""
    kind = "HTTPRoute" if "gateway" in parent["spec"]["expose"] else "Ingress"
    uid = f"route-{parent['metadata']['uid']}"
    return owned(child(sync(parent), kind), parent, uid=uid, creationTimestamp=created)


def seen(*routes: Json) -> dict[str, dict[str, Json]]:
    return grouped(*routes, kinds=("Ingress", "HTTPRoute"))


def rules(parent: Json, *listed: tuple[str, str]) -> list[Json]:
    """Return the related rules of *parent*, with a CompositeController that lists the kinds *listed*, or none."""
    request = json.loads(customize_request(parent))
    if listed:
        resources = [{"apiVersion": version, "resource": plural} for version, plural in listed]
        request["controller"] = {"spec": {"hooks": {"sync": {}}, "childResources": resources}}
    answer: Json = json.loads(MYRESOURCE.handle_customize(json.dumps(request).encode()).body)
    return [rule for rule in answer["relatedResources"] if rule["resource"] in {"ingresses", "httproutes"}]


def test_an_ingress_leads_to_the_service() -> None:
    made = child(sync(exposed(path="/shop", className="nginx", tls={"secretName": "cert"})), "Ingress")
    backend = {"service": {"name": "web", "port": {"number": 80}}}

    assert made["metadata"]["name"] == "web"
    assert made["metadata"]["labels"]["mygroup.example.com/address"] == "f6bdf57d225da2f1d41a5812e5a4a027"
    assert made["spec"] == {
        "ingressClassName": "nginx",
        "rules": [{"host": HOST, "http": {"paths": [{"path": "/shop", "pathType": "Prefix", "backend": backend}]}}],
        "tls": [{"hosts": [HOST], "secretName": "cert"}],
    }


def test_a_route_of_a_gateway_has_all_defaults_of_its_kind() -> None:
    made = child(sync(exposed(gateway={**GATEWAY, "sectionName": "https"})), "HTTPRoute")
    backend = {"group": "", "kind": "Service", "name": "web", "port": 80, "weight": 1}
    gateway = {"group": "gateway.networking.k8s.io", "kind": "Gateway", **GATEWAY, "sectionName": "https"}

    assert made["spec"] == {
        "parentRefs": [gateway],
        "hostnames": [HOST],
        "rules": [{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "backendRefs": [backend]}],
    }


@pytest.mark.parametrize(("port", "number"), [(None, 81), ("other", 82)])
def test_the_first_tcp_port_gets_the_requests_or_the_one_that_is_named(port: str | None, number: int) -> None:
    ports = [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 81}, {"containerPort": 82, "name": "other"}]
    parent = my_resource(ports=ports, expose={"host": HOST, **({"port": port} if port else {})})
    (rule,) = child(sync(parent), "Ingress")["spec"]["rules"]

    assert rule["http"]["paths"][0]["backend"]["service"]["port"] == {"number": number}


def test_the_port_of_a_headless_service_is_its_own_number_although_clients_use_that_of_the_container() -> None:
    headless = my_resource(ports=[HTTP], service={"clusterIP": "None"}, expose={"host": HOST})
    answer = sync(headless, *finished(headless))
    (rule,) = child(answer, "Ingress")["spec"]["rules"]

    assert rule["http"]["paths"][0]["backend"]["service"]["port"] == {"number": 80}
    assert answer["status"]["address"] == "web.default.svc:8080"


@pytest.mark.parametrize("gateway", [{}, {"gateway": GATEWAY}], ids=["Ingress", "HTTPRoute"])
def test_routes_of_the_same_name_and_of_the_same_address_are_asked_for(gateway: Json) -> None:
    parent = exposed(**gateway)
    named, addressed = rules(parent)

    assert named["names"] == ["web"]
    assert addressed["namespace"] == "default"
    label = route_of(parent)["metadata"]["labels"]["mygroup.example.com/address"]
    assert addressed["labelSelector"] == {"matchLabels": {"mygroup.example.com/address": label}}


def test_of_a_kind_that_the_cluster_may_not_serve_nothing_is_asked() -> None:
    listed = [("apps/v1", "deployments"), ("networking.k8s.io/v1", "ingresses")]

    assert rules(exposed(gateway=GATEWAY), *listed) == []
    assert [rule["resource"] for rule in rules(exposed(), *listed)] == ["ingresses"] * 2


@pytest.mark.parametrize(
    ("ours", "theirs", "is_kept"),
    [
        pytest.param((EARLIER_TEXT, "u-b"), (NOW_TEXT, "u-a"), True, id="earlier"),
        pytest.param((NOW_TEXT, "u-a"), (EARLIER_TEXT, "u-b"), False, id="later"),
        pytest.param((NOW_TEXT, "u-a"), (NOW_TEXT, "u-b"), True, id="at once, with the lower uid"),
        pytest.param((NOW_TEXT, "u-b"), (NOW_TEXT, "u-a"), False, id="at once, with the higher uid"),
        pytest.param((None, "u-b"), (NOW_TEXT, "u-a"), True, id="at no known time"),
    ],
)
def test_of_two_that_were_created_at_once_one_goes_whoever_looks(
    ours: tuple[str | None, str], theirs: tuple[str, str], *, is_kept: bool
) -> None:
    parent, other = exposed(uid=ours[1]), exposed("shop", theirs[1])
    routes = route_of(parent, ours[0]), route_of(other, theirs[0])

    assert ("Ingress" in kinds(sync(parent, routes[0], related=seen(*routes)))) is is_kept
    assert ("Ingress" in kinds(sync(other, routes[1], related=seen(*routes)))) is not is_kept


SHOP = route_of(exposed("shop", "u-shop"))
ORPHAN = {**SHOP, "metadata": {key: value for key, value in SHOP["metadata"].items() if key != "ownerReferences"}}


@pytest.mark.parametrize(
    ("other", "claimed"),
    [
        pytest.param(SHOP, "MyResource shop already has this host and path", id="the address"),
        pytest.param(ORPHAN, "Ingress shop already has", id="the address, of an orphan"),
        pytest.param(route_of(exposed("shop", "u-shop", path="/shop")), "", id="another path"),
        pytest.param(route_of(exposed("shop", "u-shop", host="shop.example.com")), "", id="another host"),
        pytest.param(route_of(exposed("shop", "u-shop", gateway=GATEWAY)), "", id="another kind"),
    ],
)
def test_one_that_comes_later_creates_no_route_with_the_same_address_and_names_the_other(
    other: Json, claimed: str
) -> None:
    answer = sync(exposed(), related=seen(other))
    found = condition(answer, "Exposed")

    assert ("Ingress" in kinds(answer)) is (not claimed)
    assert (found["reason"] == "HostClaimed") is bool(claimed)
    assert found["message"].startswith(claimed)


@pytest.mark.parametrize("now", [exposed(path="/new"), exposed(gateway=GATEWAY)], ids=["address", "kind"])
def test_the_route_of_an_earlier_spec_stays_while_the_new_one_is_claimed(now: Json) -> None:
    before = [with_last_applied(item, item) for item in finished(exposed())]
    claimed = route_of({**now, "metadata": {**now["metadata"], "name": "shop", "uid": "u-shop"}})
    answer = sync(now, *before, related=seen(claimed))

    assert kinds(answer) == ["Deployment", "Ingress", "Service"]
    assert child(answer, "Ingress")["spec"] == child(sync(exposed()), "Ingress")["spec"]
    assert condition(answer, "Exposed")["reason"] == "HostClaimed"


NO_GATEWAYS = ("Deployment", "Service", "PodDisruptionBudget", "Ingress")
"""The kinds of a CompositeController without HTTPRoutes."""


def test_a_gateway_that_is_not_enabled_loses_no_call_and_no_child() -> None:
    before = finished(exposed())
    answer = sync(exposed(gateway=GATEWAY), *before, listed=NO_GATEWAYS)

    assert kinds(answer) == ["Deployment", "Ingress", "Service"]
    assert condition(answer)["reason"] != "KindNotManaged"
    assert condition(answer, "Exposed")["reason"] == "NotEnabled"
    assert "expose.gateway of the operator's chart" in condition(answer, "Exposed")["message"]


def test_a_record_that_is_lost_still_keeps_the_route_of_an_earlier_spec() -> None:
    (ingress,) = [item for item in finished(exposed()) if item["kind"] == "Ingress"]
    del ingress["metadata"]["managedFields"]
    answer = sync(exposed(gateway=GATEWAY), ingress, listed=NO_GATEWAYS)

    assert child(answer, "Ingress")["metadata"]["annotations"] == {"mygroup.example.com/applied": "1-u-web"}
