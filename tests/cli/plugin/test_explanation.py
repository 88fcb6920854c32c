import re

import pytest

from app.cli.plugin.explanation import explanation, filled, may_be_rejected
from app.cli.wrapping import COMMAND
from app.core.reasons import REASONS
from tests.cli.plugin.recorded import MYRESOURCE, Json
from tests.health.statuses import condition, is_current, message, myresources


def with_condition(**condition: str) -> Json:
    conditions = [*MYRESOURCE["status"]["conditions"], condition]
    return {**MYRESOURCE, "status": {**MYRESOURCE["status"], "conditions": conditions}}


@pytest.mark.parametrize("name", REASONS)
def test_every_command_of_a_remedy_is_ready_to_copy(name: str) -> None:
    commands = COMMAND.findall(filled(REASONS[name].remedy, MYRESOURCE))

    for command in commands:
        assert "NAME" not in command
        assert command.endswith(" -n default")
    assert len(commands) == len(COMMAND.findall(REASONS[name].remedy))


def test_the_page_has_the_message_of_the_status_and_the_cause_and_remedy_of_its_reason() -> None:
    lines = explanation(MYRESOURCE).splitlines()

    assert lines[0] == "MyResource web in namespace default: Ready is False; no action is needed yet (Reconciling)"
    assert [line[:12].strip() for line in lines[2:]] == ["Reason", "Message", "Since", "Why", "What to do"]
    assert lines[3].endswith(message(MYRESOURCE))
    assert lines[5].endswith(REASONS["ImagePullFailed"].cause)
    assert lines[6].endswith("For the full error: kubectl describe pods -l myresource=web -n default")


def test_every_status_is_explained_and_tells_whether_to_act() -> None:
    for item in (each for each in myresources() if each.get("status")):
        first, *rest = explanation(item).splitlines()
        assert message(item) in "\n".join(rest)
        assert ("action is needed" in first and "no action" not in first) is (condition(item, "Stalled") == "True")
        assert ("Note" in "\n".join(rest)) is not is_current(item)


def test_a_new_one_without_a_status_is_explained() -> None:
    new = {key: value for key, value in MYRESOURCE.items() if key != "status"}

    assert explanation(new).startswith("MyResource web in namespace default has no status yet\n")
    assert explanation(new).endswith("kubectl describe myresource web -n default")


@pytest.mark.parametrize(
    ("reason", "may_be"), [("NotApplied", True), ("Building", True), ("Available", False), (None, True)]
)
def test_where_a_child_may_be_rejected_the_error_of_the_last_sync_is_shown(*, reason: str | None, may_be: bool) -> None:
    ready = [{**each, "reason": reason} for each in MYRESOURCE["status"]["conditions"] if each["type"] == "Ready"]
    item = {**MYRESOURCE, "status": {**MYRESOURCE["status"], "conditions": ready} if reason else {}}

    assert may_be_rejected(item) is may_be
    assert "\nError       forbidden\n" in explanation(item, "forbidden")
    assert "\nError " not in explanation(item)


def test_a_reason_of_a_newer_operator_has_its_message_alone() -> None:
    ready = [{**each, "reason": "Newer"} for each in MYRESOURCE["status"]["conditions"] if each["type"] == "Ready"]
    newer = {**MYRESOURCE, "status": {**MYRESOURCE["status"], "conditions": ready}}

    assert re.findall(r"^(\w[\w ]*?)  ", explanation(newer), re.MULTILINE) == ["Reason", "Message", "Since"]


@pytest.mark.parametrize(
    ("type_", "status", "is_shown"),
    [
        ("ForeignFields", "True", True),
        ("OperatorMisconfigured", "True", True),
        ("DependenciesReady", "False", True),
        ("DependenciesReady", "Unknown", True),
        ("DependenciesReady", "True", False),
        ("AutoscalingActive", "False", True),
        ("Exposed", "Unknown", True),
        ("Exposed", "True", False),
        ("Available", "False", False),
    ],
)
def test_conditions_with_other_news_follow(*, type_: str, status: str, is_shown: bool) -> None:
    item = with_condition(type=type_, status=status, reason="Some", message="Some news.")

    assert (
        explanation(item).endswith(f"\n\n{type_} is {status}\n\nReason      Some\nMessage     Some news.") is is_shown
    )
