from typing import Any

import pytest

from tests.requests.builders import Json, child, finished, my_resource, sync

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
