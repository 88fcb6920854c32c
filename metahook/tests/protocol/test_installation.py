"""What is wrong with an installation: a recorded CompositeController, which is right, with one field changed each."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from metahook import (
    ConfigMap,
    Controller,
    CustomizeRequest,
    Deployment,
    InstallationProblem,
    Kind,
    Service,
    SyncRequest,
    SyncResponse,
    UpdateMethod,
)
from metahook.protocol import installation
from metahook.protocol.installation import MAX_REMEMBERED, Requirements, check_installation
from metahook.protocol.request_builder import customize_request
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.installation import RIGHT
from toolkit.mutations import REPLACEMENTS, Path, places, replaced

METHODS: Mapping[Kind, UpdateMethod] = {Deployment.KIND: "InPlace", Service.KIND: "InPlace"}
REQUIRED = Requirements(METHODS, has_customize=True, lacks_default=lambda _: False)
OLDER = replace(REQUIRED, lacks_default=lambda _: True)

SYNC, CUSTOMIZE = ("spec", "hooks", "sync"), ("spec", "hooks", "customize")
FIRST_CHILD = ("spec", "childResources", 0, "updateStrategy")


def found(controller: object, required: Requirements = REQUIRED) -> list[str]:
    raw = msgspec.Raw(json.dumps(controller).encode())
    return [finding.name for finding in check_installation(raw, b"{}", required)]


def changed(*path: str | int, to: object) -> Any:
    """Return the right CompositeController with *to* at *path*, where there may be nothing."""
    *above, last = path
    return replaced(RIGHT, tuple(above), lambda node: {**node, last: to})


def test_the_recorded_one_is_right() -> None:
    assert found(RIGHT) == []


def with_hook(path: Path, *, version: str | None, mode: str | None) -> Any:
    def hook(right: Any) -> Any:
        return {**right, "version": version, "webhook": {**right["webhook"], "responseUnMarshallMode": mode}}

    return replaced(RIGHT, path, hook)


@pytest.mark.parametrize("path", [SYNC, CUSTOMIZE], ids=["sync", "customize"])
@pytest.mark.parametrize(
    ("version", "mode", "expected"),
    [
        ("v2", None, []),
        ("v2", "loose", ["ResponsesNotStrict"]),
        ("v1", "strict", ["HookVersionNotV2"]),
        ("v1", None, ["ResponsesNotStrict", "HookVersionNotV2"]),
        (None, None, ["ResponsesNotStrict", "HookVersionNotV2"]),
    ],
)
def test_each_hook_must_be_v2_and_strict_which_is_its_default(
    path: Path, version: str | None, mode: str | None, expected: list[str]
) -> None:
    assert found(with_hook(path, version=version, mode=mode)) == expected


@pytest.mark.parametrize("path", [SYNC, CUSTOMIZE], ids=["sync", "customize"])
@pytest.mark.parametrize(
    ("timeout", "expected"),
    [
        *((text, []) for text in ("1s", "1000ms", "1.5s", "10s", None, "0s", "-5s", "", "soon")),
        *((text, ["HookTimeoutOutOfRange"]) for text in ("999ms", "100µs", "3ns", "10.001s", "1m40s", "1h0m0s")),
    ],
)
def test_a_timeout_is_from_1_to_10_seconds_as_is_the_one_of_metacontroller(
    path: Path, timeout: str | None, expected: list[str]
) -> None:
    assert found(changed(*path, "webhook", "timeout", to=timeout)) == expected


@pytest.mark.parametrize("value", [None, False])
def test_the_selector_must_be_generated(value: object) -> None:
    assert found(changed("spec", "generateSelector", to=value)) == ["SelectorNotGenerated"]


@pytest.mark.parametrize("method", [None, "OnDelete", "Recreate", "RollingInPlace", "RollingRecreate"])
def test_children_must_be_updated_in_place(method: str | None) -> None:
    assert found(changed(*FIRST_CHILD, "method", to=method)) == ["WrongUpdateMethod"]


def test_children_without_a_strategy_are_never_updated() -> None:
    assert found(changed(*FIRST_CHILD, to=None)) == ["WrongUpdateMethod"]


def test_a_controller_can_require_another_update_method() -> None:
    required = replace(REQUIRED, update_methods={Deployment.KIND: "OnDelete", Service.KIND: "InPlace"})

    assert found(changed(*FIRST_CHILD, to=None), required) == []
    assert found(RIGHT, required) == ["WrongUpdateMethod"]


@pytest.mark.parametrize(
    "resources",
    [
        [*RIGHT["spec"]["childResources"], {"apiVersion": "batch/v1", "resource": "jobs"}],
        RIGHT["spec"]["childResources"][:1],
        None,
    ],
    ids=["one that is not declared", "one is missing", "none"],
)
def test_only_the_kinds_that_are_both_declared_and_listed_are_compared(resources: object) -> None:
    assert found(changed("spec", "childResources", to=resources)) == []


@pytest.mark.parametrize(
    ("controller", "is_managed"),
    [(RIGHT, True), (changed("spec", "childResources", to=[]), False), ({}, True), (None, True), ("a", True)],
    ids=["listed", "not listed", "empty", "null", "no object"],
)
def test_a_customize_request_tells_which_kinds_the_controller_lists(*, controller: object, is_managed: bool) -> None:
    body = {**json.loads(customize_request(json.loads(sync_body())["parent"])), "controller": controller}

    assert CustomizeRequest.decode(json.dumps(body).encode()).manages(Deployment) is is_managed


@pytest.mark.parametrize("hook", [{"version": "v1"}, {"version": "v2", "webhook": {"url": "http://x/finalize"}}])
def test_a_finalize_hook_is_not_served(hook: object) -> None:
    assert found(changed("spec", "hooks", "finalize", to=hook)) == ["FinalizeHookNotServed"]
    assert found(changed("spec", "hooks", "finalize", to=None)) == []


def test_a_finalize_hook_that_is_served_is_checked_as_the_others_are() -> None:
    served = replace(REQUIRED, has_finalize=True)

    for version, expected in (("v2", []), ("v1", ["ResponsesNotStrict", "HookVersionNotV2"])):
        hook = {"version": version, "webhook": {"url": "http://x/finalize"}}
        assert found(changed("spec", "hooks", "finalize", to=hook), served) == expected


def test_a_decorator_controller_has_attachments_and_no_selector() -> None:
    decorates = replace(REQUIRED, is_decorator=True, has_customize=False)
    attachment = RIGHT["spec"]["childResources"][0]
    right = {"hooks": {"sync": RIGHT["spec"]["hooks"]["sync"]}, "resources": [], "attachments": [attachment]}

    assert found({"spec": right}, decorates) == []
    assert found({"spec": {**right, "attachments": [{**attachment, "updateStrategy": None}]}}, decorates) == [
        "WrongUpdateMethod"
    ]
    message = InstallationProblem.WrongUpdateMethod.message_about(decorator=True)
    assert "In the DecoratorController, set updateStrategy.method for each kind in attachments" in message


@pytest.mark.parametrize("hook", [None, {"version": "v2"}], ids=["absent", "not called"])
def test_a_controller_with_rules_needs_its_customize_hook(hook: object) -> None:
    without_rules = replace(REQUIRED, has_customize=False)
    controller = changed(*CUSTOMIZE, to=hook)

    assert found(controller) == ["CustomizeHookMissing"]
    assert found(controller, without_rules) == []


def test_the_most_severe_finding_comes_first() -> None:
    worst = changed(*FIRST_CHILD, to=None)["spec"]
    hooks = {name: {"webhook": {"timeout": "1m0s"}} for name in ("sync", "finalize")}

    assert found({"spec": {**worst, "generateSelector": None, "hooks": hooks}}, OLDER) == [
        each.name for each in InstallationProblem if each is not InstallationProblem.ClockSkewed
    ]


NOTHING_KNOWN: dict[str, Any] = {
    "null": None,
    "empty": {},
    "text": "x",
    "a list": [RIGHT],
    "no spec": {**RIGHT, "spec": None},
    "an empty spec": {**RIGHT, "spec": {}},
    "no hooks": changed("spec", "hooks", to=None),
    "no sync hook": changed("spec", "hooks", to={"customize": {"version": "v1"}}),
    "a version that is a number": changed(*SYNC, "version", to=1),
}


@pytest.mark.parametrize("controller", NOTHING_KNOWN.values(), ids=NOTHING_KNOWN.keys())
def test_a_field_that_is_no_composite_controller_tells_nothing(controller: object) -> None:

    assert found(controller, OLDER) == []
    assert found(RIGHT, OLDER) == ["OutdatedCRD"]


@pytest.mark.parametrize("change", REPLACEMENTS.values(), ids=REPLACEMENTS.keys())
def test_whatever_stands_in_whichever_place_nothing_is_raised(change: Any) -> None:
    for path in places(RIGHT):
        assert set(found(replaced(RIGHT, path, change))) <= {each.name for each in InstallationProblem}


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*RIGHT["spec"], "version", "webhook"]), inner),
    max_leaves=8,
)


@settings(max_examples=40)
@given(path=st.sampled_from([*places(RIGHT)]), value=JSONS)
def test_any_json_in_any_place_is_answered(path: Path, value: object) -> None:
    body = sync_body(controller=replaced(RIGHT, path, lambda _: value))

    assert TINY.handle_sync(body, NOW).body == TINY.handle_sync(sync_body(), NOW).body


def test_a_field_that_is_nested_too_deeply_for_a_struct_tells_nothing() -> None:
    deep = msgspec.Raw(b'{"spec":' + b"[" * 100_000 + b"]" * 100_000 + b"}")

    assert check_installation(deep, b"{}", REQUIRED) == ()


def test_a_large_field_is_checked_and_not_remembered() -> None:
    loose = changed(*SYNC, "webhook", "responseUnMarshallMode", to="loose")
    size = remembered()

    assert found({**loose, "metadata": {"x": "x" * MAX_REMEMBERED}}) == ["ResponsesNotStrict"]
    assert remembered() == size
    assert found({**loose, "metadata": {"x": "another"}}) == ["ResponsesNotStrict"]
    assert remembered() == min(size + 1, 16)


def remembered() -> int:
    """Return how many CompositeControllers are remembered."""
    return installation._remembered.cache_info().currsize  # noqa: SLF001 - it is to be bounded


def test_the_findings_are_in_the_request_and_in_the_summary() -> None:
    seen: list[SyncRequest] = []

    def sync(request: SyncRequest, _: datetime) -> SyncResponse:
        seen.append(request)
        return SyncResponse(status={"state": "x"}, findings=(InstallationProblem.ClockSkewed,))

    controller = Controller(sync=sync, children=(ConfigMap,), lacks_default=lambda spec: b"word" in spec)
    summaries = [controller.handle_sync(sync_body(controller=field), NOW).summary for field in (RIGHT, {})]

    assert [request.installation for request in seen] == [(InstallationProblem.OutdatedCRD,), ()]
    assert [summary.findings for summary in summaries] == [
        (InstallationProblem.OutdatedCRD, InstallationProblem.ClockSkewed),
        (InstallationProblem.ClockSkewed,),
    ]


def test_a_message_is_fixed_and_names_the_remedy() -> None:
    for finding in InstallationProblem:
        assert re.search(r"(In the CompositeController, set|Remove|Add|Apply) ", finding.message)
        assert re.fullmatch("[A-Z][A-Za-z0-9]+", finding.name)
        assert "{" not in finding.message
