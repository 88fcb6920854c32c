import json

import pytest

from app.core.desired.desired_state import MAX_CHILD
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.requests.builders import Json, child, condition, finished, my_resource, owned, reason, sync

PORTS = [{"containerPort": 80}]
DEPENDENCIES = [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": "db"}]
LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


def recorded(item: Json) -> Json:
    """Return the child *item* with the record that Metacontroller's dynamic-apply keeps on it."""
    applied = {key: value for key, value in item.items() if key != "status"}
    applied = {**applied, "metadata": {key: item["metadata"][key] for key in ("name", "namespace", "labels")}}
    annotations = {**item["metadata"].get("annotations", {}), LAST_APPLIED: json.dumps(applied)}
    return {**item, "metadata": {**item["metadata"], "annotations": annotations}}


def test_a_suspended_one_says_so_and_is_neither_ready_nor_not() -> None:
    answer = sync(my_resource(generation=2, suspend=True, image="new:1"), *finished(my_resource()))

    assert (answer["status"]["state"], reason(answer)) == ("Suspended", "Suspended")
    assert {each["type"]: each["status"] for each in answer["status"]["conditions"]} == {
        "Ready": "Unknown",
        "Available": "True",
        "Progressing": "True",
    }


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        pytest.param({}, "Suspended", id="new"),
        pytest.param({"dependencies": DEPENDENCIES}, "Suspended", id="with a dependency"),
        pytest.param({"args": ["x" * 8000] * (MAX_CHILD // 8000 + 1)}, "Suspended", id="too large"),
        pytest.param({"deleting": True}, "Terminating", id="being deleted"),
        pytest.param({"image": "no image"}, "InvalidSpec", id="invalid"),
    ],
)
def test_a_suspended_one_creates_nothing(parent: Json, expected: str) -> None:
    answer = sync(my_resource(suspend=True, **parent))

    assert (answer["children"], reason(answer)) == ([], expected)
    assert "resyncAfterSeconds" not in answer


def test_a_stale_request_of_a_suspended_one_undoes_nothing() -> None:
    """It was resumed since: its children are of a newer generation."""
    children = [recorded(owned(item, my_resource())) for item in sync(my_resource(generation=4))["children"]]

    answer = sync(my_resource(generation=3, suspend=True, image="old:1"), *children)

    assert reason(answer) == "Suspended"
    assert child(answer, "Deployment")["spec"] == children[0]["spec"]


def arguments(number: int, letter: str = "x", length: int = 8000) -> Json:
    return {"args": [letter * length] * number}


def service(letter: str) -> Json:
    """Return the spec of a Service with 64,000 of this *letter* in its annotations."""
    annotations = {f"example.com/{number}": letter * 4000 for number in range(16)}
    return {"ports": PORTS, "service": {"annotations": annotations}}


@pytest.mark.parametrize(
    ("name", "spec", "expected"),
    [
        *((name, {}, "InvalidSpec") for name in ("a" * 53, "1web", "Web", "we.b", "web-")),
        ("web", {"image": "no image"}, "InvalidSpec"),
        ("web", arguments(MAX_CHILD // 8000 + 1), "InvalidSpec"),
        ("web", arguments(5), "Building"),
        # What Go writes as six bytes counts as six.
        *(("web", arguments(35, letter, 1000), "InvalidSpec") for letter in "<>&\u2028\u2029"),
        *(("web", arguments(33, letter, 1000), "Building") for letter in "<>&\u2028\u2029"),
        ("web", service("\N{WHALE}"), "InvalidSpec"),
        ("web", service("w"), "Building"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_children_cannot_have_or_annotations_cannot_hold_is_an_invalid_spec(
    name: str, spec: Json, expected: str
) -> None:
    answer = sync(my_resource(name, **spec))

    assert reason(answer) == expected
    assert (answer["children"] == []) is (expected == "InvalidSpec")


def _with_init_containers(*names: str, generation: int = 1) -> Json:
    return my_resource(generation=generation, initContainers=[{"name": name, "image": "init:1"} for name in names])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "ab", "Building"),
        ("ab", "b", "Building"),
        ("ab", "ac", "Building"),
        ("ab", "bc", "Building"),
        ("", "ba", "Building"),
        ("ab", "cd", "Building"),
        ("ab", "ba", "InvalidSpec"),
        ("a", "ba", "InvalidSpec"),
        ("abc", "adc", "InvalidSpec"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_init_containers_that_dynamic_apply_would_start_in_another_order_are_an_invalid_spec(
    before: str, after: str, expected: str, mode: Mode
) -> None:
    old, new = _with_init_containers(*before), _with_init_containers(*after, generation=2)
    (deployment,) = finished(old)
    deployment = recorded(deployment) if mode == "dynamic-apply" else deployment

    answer = sync(new, deployment)

    assert reason(answer) == (expected if mode == "dynamic-apply" else "Building")
    if reason(answer) == "InvalidSpec":
        assert "rename those" in condition(answer)["message"]
        kept = answer["children"][0]["spec"]["template"]["spec"]["initContainers"]
        assert [container["name"] for container in kept] == [*before]


@pytest.mark.parametrize(("before", "after"), [("None", None), (None, "None")], ids=["to an address", "to headless"])
def test_an_existing_service_that_can_not_become_headless_or_the_reverse_is_an_invalid_spec(
    before: str | None, after: str | None
) -> None:
    old, new = (my_resource(ports=PORTS, service={"clusterIP": address}, image="b") for address in (before, after))
    deployment, service = finished(old)

    answer = sync(new, deployment, service)

    assert reason(answer) == "InvalidSpec"
    assert "set spec.service.mode to Disabled, and to Auto again" in condition(answer)["message"]
    assert reason(sync(old, deployment, service)) == "Available"
    assert reason(sync(new, deployment)) == "Building"
    assert child(sync(new, deployment), "Service")["spec"].get("clusterIP") == after
    leaving = {**service, "metadata": {**service["metadata"], "deletionTimestamp": "2026-01-31T12:00:00Z"}}
    assert reason(sync(new, deployment, leaving)) == "ChildTerminating"
