"""Every kind of child is desired by some spec, and is what Kubernetes knows; what children get of their parent."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from app.core.desired.children import CHILDREN, OPTIONAL_CHILDREN
from metahook import HTTPRoute, Object
from tests.requests.builders import Json, child, condition, finished, kinds, my_resource, reason, sync
from tests.schemas.kubernetes import validate
from tests.strategies.my_resources import parents
from toolkit.slow import short_or_whole

FULL: Json = yaml.safe_load(Path("examples/full.yaml").read_text(encoding="utf-8"))["spec"] | {"dependencies": []}
ROUTED: Json = FULL | {"expose": {"host": "web.example.com", "gateway": {"name": "shared"}}}


def full(kind: type[Object]) -> Json:
    """Return a MyResource with a child of *kind*: it has an Ingress or an HTTPRoute."""
    return my_resource(spec=ROUTED if kind is HTTPRoute else FULL)


@pytest.mark.parametrize("kind", CHILDREN, ids=lambda kind: kind.KIND.kind)
def test_a_child_of_each_kind_has_the_labels_of_all_and_the_stamp_and_is_waited_for(kind: type[Object]) -> None:
    parent = full(kind)
    metadata = child(sync(parent), kind.KIND.kind)["metadata"]
    others = [item for item in finished(parent) if item["kind"] != kind.KIND.kind]

    assert metadata["labels"]["myresource"] == "web"
    assert metadata["annotations"]["mygroup.example.com/applied"] == "1-b848bea7"
    assert f"{kind.KIND.kind} " in condition(sync(parent, *others))["message"]


@pytest.mark.parametrize("optional", OPTIONAL_CHILDREN, ids=lambda optional: optional.kind.KIND.kind)
def test_an_object_of_another_owner_that_has_the_name_is_left_alone(optional: Any) -> None:
    parent, kind = full(optional.kind), optional.kind.KIND
    foreign = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "web", "namespace": "default"}}
    answer = sync(parent, related={kind.group_key: {"default/web": foreign}})

    assert reason(answer) == "NameConflict"
    assert optional.remedy in condition(answer)["message"]
    assert kind.kind not in kinds(answer)


KEYS = {"labels": ["team", "absent"], "annotations": ["example.com/owner"]}
PORTS = [{"containerPort": 80}]
REPAIR = "mygroup.example.com/repair"


def labelled(team: str = "red", **fields: Any) -> Json:
    made = my_resource(labels={"team": team, "other": "x"}, ports=PORTS, **fields)
    return {**made, "metadata": {**made["metadata"], "annotations": {"example.com/owner": "a", "example.com/b": "b"}}}


@pytest.mark.parametrize("kind", ["Deployment", "Service"])
def test_children_get_the_listed_labels_and_annotations_of_the_parent_and_pods_do_not(kind: str) -> None:
    bare, made = (child(sync(labelled(propagate=keys)), kind) for keys in ({}, KEYS))

    assert made["metadata"] == {
        **bare["metadata"],
        "labels": {**bare["metadata"]["labels"], "team": "red"},
        "annotations": {**bare["metadata"]["annotations"], "example.com/owner": "a"},
    }
    assert made["spec"] == bare["spec"]


@pytest.mark.parametrize(("kind", "gateway"), [("Ingress", {}), ("HTTPRoute", {"gateway": {"name": "a"}})])
def test_a_route_gets_no_annotation_with_which_it_could_configure_the_ingress_controller(
    kind: str, gateway: Json
) -> None:
    bare, made = (
        child(sync(labelled(propagate=keys, expose={"host": "a.example.com", **gateway})), kind) for keys in ({}, KEYS)
    )

    assert made == {**bare, "metadata": {**bare["metadata"], "labels": {**bare["metadata"]["labels"], "team": "red"}}}


@pytest.mark.parametrize("character", ["\x7f", "\x85", "\uffff"], ids=ascii)
def test_an_annotation_that_can_not_be_applied_stops_no_child(character: str) -> None:
    made = labelled(propagate=KEYS)
    made["metadata"]["annotations"]["example.com/owner"] = f"a{character}"

    assert sync(made)["children"] == sync(labelled(propagate={"labels": KEYS["labels"]}))["children"]


def test_annotations_of_the_service_win_over_those_of_the_parent() -> None:
    made = labelled(propagate=KEYS, service={"annotations": {"example.com/owner": "service"}})

    assert child(sync(made), "Service")["metadata"]["annotations"]["example.com/owner"] == "service"


def test_a_label_that_changes_is_sent_to_the_children_and_no_more_once_it_is_there() -> None:
    before, after = (labelled(team, propagate=KEYS) for team in ("red", "blue"))

    for children, is_sent in ((finished(before), True), (finished(after), False)):
        found = [item["metadata"] for item in sync(after, *children)["children"]]
        assert [each["labels"]["team"] for each in found] == ["blue", "blue"]
        assert [REPAIR in each["annotations"] for each in found] == [is_sent, is_sent]


OLDEST, NEWEST = "1.34", "1.36"


@pytest.mark.slow
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@settings(max_examples=short_or_whole(30, 150))
@given(parent=parents())
def test_every_child_is_valid_for_kubernetes(version: str, parent: Json) -> None:
    for made in sync(parent)["children"]:
        if made["kind"] != "HTTPRoute":  # tests/e2e/test_expose.py tries it with the Gateway API's own CRD
            validate(made, version)
