"""Label selectors, and why a CompositeController does not select the parent of a request."""

from typing import Any

import msgspec
import pytest

from metahook.protocol.label_selector import LabelSelector, excluding_labels
from metahook.protocol.request import CustomizeRequest

Json = dict[str, Any]
SHARD = "example.com/shard"


def expression(operator: str, *values: str) -> Json:
    """Return a selector with one requirement on the label SHARD."""
    return {"matchExpressions": [{"key": SHARD, "operator": operator, "values": list(values)}]}


def request(selector: Any, labels: Any = None, **parent: Any) -> bytes:
    """Return a customize request about a parent with *labels*."""
    metadata = {"name": "web", "namespace": "default", "uid": "u", "generation": 1, "labels": labels}
    controller = {"spec": {"parentResource": {"labelSelector": selector}}}
    return msgspec.json.encode({"controller": controller, "parent": {"metadata": metadata, **parent}})


@pytest.mark.parametrize(
    ("selector", "without", "one", "two"),
    [
        pytest.param({}, True, True, True, id="empty"),
        pytest.param({"matchLabels": {SHARD: "1"}}, False, True, False, id="matchLabels"),
        pytest.param(expression("In", "1"), False, True, False, id="In"),
        pytest.param(expression("NotIn", "1"), True, False, True, id="NotIn"),
        pytest.param(expression("Exists"), False, True, True, id="Exists"),
        pytest.param(expression("DoesNotExist"), True, False, False, id="DoesNotExist"),
        pytest.param({"matchLabels": {SHARD: "1"}, **expression("NotIn", "1")}, False, False, False, id="both"),
    ],
)
def test_a_selector_matches_as_in_kubernetes(selector: Json, *, without: bool, one: bool, two: bool) -> None:
    read = msgspec.convert(selector, LabelSelector)

    assert [not read.unmet_keys(labels) for labels in ({}, {SHARD: "1"}, {SHARD: "2"})] == [without, one, two]


@pytest.mark.parametrize(("labels", "expected"), [(None, set()), ({SHARD: "2"}, set()), ({SHARD: "1"}, {SHARD})])
def test_a_request_names_the_labels_that_exclude_its_parent(labels: Json | None, expected: set[str]) -> None:
    body = request(expression("NotIn", "1"), labels)

    assert excluding_labels(body) == expected
    assert CustomizeRequest.decode(body).excluding_labels == expected


def test_each_label_that_does_not_match_is_named() -> None:
    selector = {"matchLabels": {"team": "a", "tier": "b"}, **expression("Exists")}

    assert excluding_labels(request(selector, {"team": "a"})) == {"tier", SHARD}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(request(None), id="no selector"),
        pytest.param(request(expression("Near", "1")), id="an unknown operator"),
        pytest.param(request({"matchLabels": {SHARD: 1}}), id="a label that is no text"),
        pytest.param(request(expression("In", "1"), labels=["x"]), id="labels of another shape"),
        pytest.param(b'{"controller": {}, "parent": {"metadata": {}}}', id="no CompositeController"),
        pytest.param(b"{", id="no JSON"),
    ],
)
def test_no_label_excludes_a_parent_unless_the_request_shows_otherwise(body: bytes) -> None:
    assert excluding_labels(body) == set()
