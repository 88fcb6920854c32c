"""The order of a list that has none: it shows what came first, and changes no byte of a response.

Source: Kubernetes, OpenAPI: ``x-kubernetes-list-type`` map and set. Objects of one kind have no order either.
"""

import json
import random
import re
from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.child_metadata import ROLLED_OUT_TEMPLATE
from app.core.facts import Facts
from app.core.status import parent_status
from metahook import Service
from metahook.protocol.request_builder import sync_request
from metahook.simulator.objects import to_json
from tests.recorded.traffic import Recorded, load
from tests.requests.builders import NOW, Json, condition, finished, grouped, my_resource, sync
from tests.requests.watched_objects import WATCHING
from tests.strategies.observed import Situation, changed, situations
from toolkit.slow import short_or_whole

UNORDERED = {
    "conditions",
    "containers",
    "hostAliases",
    "imagePullSecrets",
    "ownerReferences",
    "ports",
    "volumeMounts",
    "volumes",
}
"""Without topologySpreadConstraints: dynamic-apply knows no key of its items, and replaces the list as a whole."""

_HASH = re.compile(f'(?<="{re.escape(ROLLED_OUT_TEMPLATE)}":")[0-9a-f]+')

KEPT = {"InvalidSpec", "Suspended", "Overridden", "Building"}
"""Reasons with which a child can be kept: then its lists have the observed order, because another one is a change."""


def shuffled(value: Any, order: random.Random, field: str = "") -> Any:
    """Return *value*, at *field*, with its lists that have no order in another *order*."""
    if isinstance(value, dict):
        return {key: shuffled(inner, order, key) for key, inner in value.items()}
    if not isinstance(value, list):
        return value
    items = [shuffled(item, order) for item in value]
    is_map = len({item.get("type") if isinstance(item, dict) else None for item in items}) == len(items)
    return order.sample(items, len(items)) if field in UNORDERED and (is_map or field != "conditions") else items


def another(request: Json, seed: int) -> Json:
    """Return *request* with its objects, and their lists, in another order; the spec of the parent is as it is."""
    order = random.Random(seed)  # noqa: S311 - no secret
    groups = {
        field: {
            kind: dict(order.sample([*shuffled(group, order).items()], len(group)))
            for kind, group in request[field].items()
        }
        for field in ("children", "related")
    }
    parent = {**request["parent"], **shuffled({"status": request["parent"].get("status")}, order)}
    return {**request, **groups, "parent": parent}


def canonical(value: Any) -> Any:
    """Return *value* with all lists in one order."""
    if isinstance(value, dict):
        return {key: canonical(inner) for key, inner in value.items()}
    return sorted(map(canonical, value), key=to_json) if isinstance(value, list) else value


def check(request: Json, now: datetime, seed: int) -> None:
    """Fail if *request* in another order gets another response; lists of a child that is kept may have that order."""
    requests = (request, another(request, seed))
    before, after = (WATCHING.handle_sync(msgspec.json.encode(each), now).body for each in requests)
    # To the Deployment controller, a template in another order is another one.
    text, other = (_HASH.sub("", each.decode()) for each in (before, after))

    assert json.loads(text)["status"] == json.loads(other)["status"]
    if condition(json.loads(text))["reason"] in KEPT:
        text, other = (to_json(canonical(json.loads(each))) for each in (text, other))
    assert text == other


@pytest.mark.parametrize("recorded", [each for each in load() if each.path == "/sync"], ids=str)
def test_a_recorded_request_gets_the_same_answer_in_another_order(recorded: Recorded) -> None:
    check(recorded.content["request"], recorded.now, 0)


@pytest.mark.slow
@settings(max_examples=short_or_whole(100, 2000))
@given(situations(), st.integers(0, 9))
def test_a_request_gets_the_same_answer_in_another_order(situation: Situation, seed: int) -> None:
    check(json.loads(situation.body()), NOW, seed)


HTTP: Json = {"name": "http", "containerPort": 80}
TURNED = 0
"""A seed that turns two ports."""

METRICS: Json = {"name": "m", "containerPort": 8080, "servicePort": 80}


@pytest.mark.parametrize("headless", [{}, {"service": {"clusterIP": "None"}}])
def test_the_address_has_the_first_port_of_the_spec(headless: Json) -> None:
    parent = my_resource(ports=[{**HTTP, "servicePort": 8080}, METRICS], **headless)
    request = json.loads(sync_request(parent, grouped(*finished(parent)), {}))

    assert next(iter(another(request, TURNED)["children"]["Service.v1"].values()))["spec"]["ports"][0]["port"] == 80
    check(request, NOW, TURNED)
    (address,) = {sync(parent, *children)["status"]["address"] for children in (finished(parent), turned(parent))}
    assert address == f"web.default.svc:{80 if headless else 8080}"


def turned(parent: Json) -> list[Json]:
    """Return the children of *parent* with the ports of the Service in the other order."""
    return [
        changed(item, item["spec"]["ports"][::-1], "spec", "ports") if item["kind"] == "Service" else item
        for item in finished(parent)
    ]


def test_the_check_finds_an_address_of_the_first_observed_port(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_observed(facts: Facts) -> str:
        service = facts.children.get(Service, facts.parent.name)
        return f":{((service and service.spec) or {})['ports'][0]['port']}"

    parent = my_resource(ports=[{**HTTP, "servicePort": 8080}, METRICS])
    request = json.loads(sync_request(parent, grouped(*finished(parent)), {}))
    monkeypatch.setattr(parent_status, "_address", first_observed)

    with pytest.raises(AssertionError):
        check(request, NOW, TURNED)
