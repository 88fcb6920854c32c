"""Objects as the API server stores them, compared with those that a real one stored.

tests/data/stored/full.json was made with server-side apply on a kube-apiserver 1.36.3, from what the hook answered for
an example that has every field; addresses and node ports, which are given at random, are left out of it. kinds.json has
objects of other kinds, each as it was sent, and as the same API server stored it in a dry run.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metahook.kinds import DEFAULTS
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN, canonical_quantity
from metahook.simulator.apiserver.server_side_apply import managed_fields
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.stored_object import stored_object
from metahook.simulator.clock import Clock
from metahook.simulator.history import History
from toolkit.worlds import service, with_main

Json = dict[str, Any]

STORED = Path(__file__).parents[1] / "data" / "stored"
REAL: dict[str, Json] = json.loads((STORED / "full.json").read_text())
KINDS: list[Json] = json.loads((STORED / "kinds.json").read_text())

BY_ADMISSION = {
    "DaemonSet": {"annotations"},
    "Job": {"labels", "selector", "template"},
    "Pod": {
        "preemptionPolicy",
        "priority",
        "serviceAccount",
        "serviceAccountName",
        "tolerations",
        "volumes",
        "containers",
    },
}
"""Fields that a real API server makes up by more than defaults, which is not simulated."""


@pytest.mark.parametrize("kind", REAL)
def test_a_child_is_stored_as_the_real_server_stored_it(kind: str) -> None:
    spec = stored_object(REAL[kind]["applied"])["spec"]

    given = {"clusterIP", "clusterIPs"}
    ports = [{key: value for key, value in port.items() if key != "nodePort"} for port in spec.get("ports", [])]
    seen = {key: value for key, value in spec.items() if key not in given} | ({"ports": ports} if ports else {})
    assert seen == REAL[kind]["stored"]


@pytest.mark.parametrize("pair", KINDS, ids=lambda pair: f"{pair['sent']['kind']} {pair['sent']['metadata']['name']}")
def test_an_object_of_another_kind_is_stored_as_the_real_server_stored_it(pair: Json) -> None:
    cluster_scoped = [kind.kind for kind in BUILT_IN if not kind.namespaced]
    stored = ApiServer(Clock(), History(), cluster_scoped).create(pair["sent"], "you")

    stored = {name: value for name, value in stored.items() if name != "status"}
    assert _flat(stored) == _flat(pair["stored"])


def _flat(item: Json) -> Json:
    """Return all fields of *item*, of its metadata and of its spec, without those that are made up."""
    metadata = {name: item["metadata"].get(name) for name in ("labels", "annotations", "generation")}
    left = {name: value for name, value in item.items() if name not in ("metadata", "spec")}
    fields = left | metadata | (item.get("spec") or {})
    return {name: value for name, value in fields.items() if name not in BY_ADMISSION.get(item["kind"], ())}


@pytest.mark.parametrize("sent", [with_main(), service()], ids=["Deployment", "Service"])
def test_what_is_stored_and_was_not_sent_is_known_as_a_default(sent: Json) -> None:
    assert [
        field for field in _added(stored_object(sent)["spec"], sent["spec"], "spec") if not DEFAULTS.has(*field)
    ] == []


def _added(stored: Any, sent: Any, outer: str) -> Iterator[tuple[str, str, Any]]:
    """Yield what was not sent: the field that it is in, its name and its value."""
    if isinstance(stored, list):
        for pair in zip(stored, sent, strict=True):
            yield from _added(*pair, outer)
    elif isinstance(stored, dict):
        for name, value in stored.items():
            yield from _added(value, sent[name], name) if name in sent else [(outer, name, value)]


@pytest.mark.parametrize("kind", REAL)
def test_the_fields_of_an_apply_are_recorded_as_the_real_server_recorded_them(kind: str) -> None:
    (entry,) = managed_fields(REAL[kind]["applied"])

    assert entry["fieldsV1"] == REAL[kind]["fieldsV1"]


@pytest.mark.parametrize("kind", REAL)
def test_a_stored_object_is_stored_again_unchanged(kind: str) -> None:
    once = stored_object(REAL[kind]["applied"])

    assert stored_object(once) == once


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("1024Mi", "1Gi"),
        ("1536Mi", "1536Mi"),
        ("1.5Gi", "1536Mi"),
        ("1000Mi", "1000Mi"),
        ("0.5Gi", "512Mi"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("0.5", "500m"),
        ("0.1", "100m"),
        ("1000", "1k"),
        (1_000_000, "1M"),
        ("1Ki", "1Ki"),
        ("0.5Ki", "512"),
        ("1.25Ki", "1280"),
        ("0Mi", "0"),
        (0, "0"),
        ("0.0001", "100u"),
        ("999999Ti", "999999Ti"),
    ],
)
def test_a_quantity_is_stored_in_canonical_form(written: int | str, spelled: str) -> None:
    assert canonical_quantity(written) == spelled


def _deployment(**main: Any) -> Json:
    return stored_object(with_main(**main))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        pytest.param({"env": [{"name": "A", "value": ""}]}, {"env": [{"name": "A"}]}, id="empty-value"),
        pytest.param({"env": []}, {}, id="empty-list"),
        pytest.param({"args": None}, {}, id="null"),
        pytest.param({"resources": {"limits": {}}}, {"resources": {}}, id="empty-map"),
        pytest.param({"args": [""]}, {"args": [""]}, id="empty-argument"),
        pytest.param({"readinessProbe": {"initialDelaySeconds": 0.0}}, None, id="zero-and-float"),
    ],
)
def test_zero_values_are_not_stored(sent: Json, kept: Json | None) -> None:
    (main,) = _deployment(**sent)["spec"]["template"]["spec"]["containers"]

    if kept is None:
        assert "initialDelaySeconds" not in main["readinessProbe"]
    else:
        assert {field: main[field] for field in sent if field in main} == kept


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("registry.example.com:5000/nginx", "Always"),
        (f"nginx@sha256:{'0' * 64}", "IfNotPresent"),
    ],
)
def test_the_pull_policy_depends_on_the_tag(image: str, policy: str) -> None:
    (main,) = _deployment(image=image)["spec"]["template"]["spec"]["containers"]

    assert main["imagePullPolicy"] == policy


def test_the_old_name_of_the_service_account_brings_the_new_one_back() -> None:
    spec = {"template": {"spec": {"serviceAccount": "robot", "containers": [{"name": "a", "image": "b"}]}}}

    spec["selector"] = {"matchLabels": {"app": "a"}}

    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}
    pod = stored_object(deployment)["spec"]["template"]["spec"]

    assert pod["serviceAccountName"] == "robot"


def test_a_service_loses_its_node_ports_with_its_type() -> None:
    sent = service()
    balanced = stored_object({**sent, "spec": {**sent["spec"], "type": "LoadBalancer"}})

    spec = stored_object({**balanced, "spec": {**balanced["spec"], "type": "ClusterIP"}})["spec"]

    assert {"nodePort"} <= balanced["spec"]["ports"][0].keys()
    assert not {"externalTrafficPolicy", "allocateLoadBalancerNodePorts"} & spec.keys()
    assert "nodePort" not in spec["ports"][0]
