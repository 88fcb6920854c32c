"""What a log and metrics may say about a response."""

import json
from dataclasses import replace
from typing import Any

import pytest

from metahook import SyncResponse
from metahook.protocol.response import NONE, OTHER
from toolkit.builders import NOW
from toolkit.hooks.minimal import PARENT, TINY, config_map, controller, customize_body, sync_body

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
