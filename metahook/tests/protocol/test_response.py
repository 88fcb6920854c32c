"""Responses, and what a log and metrics may say about one."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from metahook import ConfigMap, CustomizeResponse, Deployment, SyncResponse, select_by_name
from metahook.protocol.response import NONE, OTHER
from toolkit.builders import NOW
from toolkit.hooks.minimal import PARENT, TINY, config_map, controller, customize_body, sync_body


def test_an_answer_is_status_and_children() -> None:
    answer = SyncResponse(status={"state": "Ready"}, children=[config_map()])

    assert json.loads(answer.encode()) == {"status": {"state": "Ready"}, "children": [config_map()]}


def test_an_answer_without_children_says_so() -> None:
    assert SyncResponse(status={"a": 1}).encode() == b'{"children":[],"status":{"a":1}}'


def test_children_are_sorted_by_kind_and_name_whether_made_or_kept() -> None:
    service = {**config_map("a"), "kind": "Service"}
    answer = SyncResponse(status={"a": 1}, children=[service, config_map("c")], kept=[config_map("b"), config_map("a")])

    listed = json.loads(answer.encode())["children"]

    assert [(child["kind"], child["metadata"]["name"]) for child in listed] == [
        ("ConfigMap", "a"),
        ("ConfigMap", "b"),
        ("ConfigMap", "c"),
        ("Service", "a"),
    ]


def test_the_same_answer_has_the_same_bytes_in_whatever_order_it_was_made() -> None:
    one = SyncResponse(
        status={"a": 1, "b": {"c": 2, "d": 3}}, children=[config_map("x", data={"e": "4", "f": "5"}), config_map("y")]
    )
    other = SyncResponse(
        status={"b": {"d": 3, "c": 2}, "a": 1}, children=[config_map("y"), config_map("x", data={"f": "5", "e": "4"})]
    )

    assert one.encode().decode() == other.encode().decode()


def test_children_of_one_kind_word_and_name_are_sorted_by_their_group() -> None:
    one, other = config_map("a"), {**config_map("a"), "apiVersion": "example.com/v1"}
    answers = [SyncResponse(status={"a": 1}, children=each) for each in ([one, other], [other, one])]

    assert answers[0].encode().decode() == answers[1].encode().decode()


def test_lists_keep_their_order() -> None:
    answer = SyncResponse(status={"a": ["c", "b"]})

    assert json.loads(answer.encode())["status"] == {"a": ["c", "b"]}


def test_a_resync_is_asked_for_in_seconds() -> None:
    assert json.loads(SyncResponse(status={"a": 1}, resync_after=60).encode())["resyncAfterSeconds"] == 60


def test_without_a_resync_there_is_no_such_field() -> None:
    assert "resyncAfterSeconds" not in json.loads(SyncResponse(status={"a": 1}).encode())


def test_a_rule_names_objects_of_a_kind_in_a_namespace() -> None:
    assert select_by_name(Deployment, "default", "one", "two") == {
        "apiVersion": "apps/v1",
        "resource": "deployments",
        "namespace": "default",
        "names": ["one", "two"],
    }


def test_a_customize_answer_is_its_rules_in_their_order() -> None:
    rules = [select_by_name(ConfigMap, "default", "b"), select_by_name(ConfigMap, "default", "a")]

    assert json.loads(CustomizeResponse(rules).encode()) == {"relatedResources": rules}


def test_no_rules_are_an_empty_list() -> None:
    assert CustomizeResponse([]).encode() == b'{"relatedResources":[]}'


KNOWN = frozenset({"Available", "Building"})


def ready(reason: object) -> dict[str, Any]:
    return {"conditions": [{"type": "Other", "reason": "Wrong"}, {"type": "Ready", "reason": reason}]}


def reasons(before: object, after: dict[str, Any]) -> tuple[str, str]:
    hook = replace(controller(lambda _: SyncResponse(after)), reasons=KNOWN)
    summary = hook.handle_sync(sync_body(parent={**PARENT, "status": before}), NOW).summary
    return summary.reason_before, summary.reason


def test_it_has_the_reasons_before_and_after() -> None:
    assert reasons(ready("Building"), ready("Available")) == ("Building", "Available")


@pytest.mark.parametrize("reason", ["canary", "", 1, None, ["Available"], {"Available": 1}])
def test_a_reason_that_is_not_the_controllers_has_no_name(reason: object) -> None:
    assert reasons(ready(reason), {"conditions": [{"type": "Ready", "reason": "canary"}]}) == (OTHER, OTHER)


@pytest.mark.parametrize("status", [None, [], "canary", {}, {"conditions": None}, {"conditions": [1]}])
def test_there_is_no_reason_without_a_condition(status: object) -> None:
    assert reasons(status, {"state": "Ready"}) == (NONE, NONE)
    assert reasons(None, {"conditions": ["canary"], "state": "Ready"}) == (NONE, NONE)


def test_it_counts_children_and_rules() -> None:
    hook = controller(lambda _: SyncResponse({"state": "Ready"}, [config_map()]))

    assert hook.handle_sync(sync_body(), NOW).summary.children == 1
    customized = TINY.handle_customize(customize_body())
    assert customized.summary.rules == len(json.loads(customized.body)["relatedResources"])
    assert customized.summary.children == customized.summary.kept == 0
