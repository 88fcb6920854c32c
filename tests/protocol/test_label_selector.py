"""Label selectors, and whether a CompositeController selects the parent of a request."""

from typing import Any

import msgspec
import pytest

from metahook.protocol.label_selector import LabelSelector, is_parent_selected
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

    assert [read.matches(labels) for labels in ({}, {SHARD: "1"}, {SHARD: "2"})] == [without, one, two]


@pytest.mark.parametrize(("labels", "expected"), [(None, True), ({SHARD: "2"}, True), ({SHARD: "1"}, False)])
def test_a_request_is_about_a_selected_parent_or_another(labels: Json | None, *, expected: bool) -> None:
    body = request(expression("NotIn", "1"), labels)

    assert is_parent_selected(body) is expected
    assert CustomizeRequest.decode(body).is_selected is expected


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
def test_a_parent_is_selected_unless_the_request_shows_otherwise(body: bytes) -> None:
    assert is_parent_selected(body)
