import re

import pytest

from app.api.descriptions import descriptions
from app.api.status import MyResourceStatus
from app.core.reasons import REASONS
from app.core.status.condition_type import ParentCondition
from app.core.status.conditions import ANSWERS
from app.core.status.parent_status import TERMS
from tests.cli.command import assert_one_line, call, shown


@pytest.mark.parametrize("name", REASONS)
def test_every_reason_is_explained_with_its_cause_and_the_way_out(name: str) -> None:
    ended = call("explain", name)

    assert ended.code == 0
    assert ended.out.startswith(f"{name}: {REASONS[name].outlook.value}")
    assert REASONS[name].cause in ended.out
    assert REASONS[name].remedy in ended.out
    assert "{{" not in ended.out


def test_a_page_that_an_explanation_names_is_where_the_setting_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "as docs/clusters/scale.md#change-the-apply-strategy describes" in call("explain", "LeftoverFields").out

    monkeypatch.setenv("MYRESOURCE_DOCS_URL", "https://docs.example.com/docs/")
    assert (
        "as https://docs.example.com/docs/clusters/scale.md#change-the-apply-strategy describes"
        in call("explain", "LeftoverFields").out
    )
    assert "https://docs.example.com/docs/apps/troubleshoot.md" in call("explain", "WrongUpdateMethod").out
    assert_one_line(call("explain", "Ready", "--docs-url", "no address"), 2, "--docs-url", "write an address")


@pytest.mark.parametrize("seen", ANSWERS, ids=lambda seen: f"{seen.type}-{seen.reason}")
def test_the_reasons_of_the_other_conditions_are_explained_too(seen: ParentCondition) -> None:
    ended = call("explain", seen.reason)

    assert ended.code == 0
    assert ended.out.startswith(f"{seen.reason}: ")


def test_a_message_is_shown_as_a_user_sees_it() -> None:
    assert (
        "Message     Container main can't pull its image: check spec.image, and "
        in call("explain", "ImagePullFailed").out
    )
    for name in {*REASONS, *(seen.reason for seen in ANSWERS)}:
        assert not re.search(r"<\w|{\w+}", call("explain", name).out), name


STATES = ("Building", "Ready", "Sleeping", "Degraded", "Failed", "Suspended", "Terminating")
CONDITIONS = [term.name for term in TERMS if term.kind == "condition"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [*((name, "state") for name in STATES), *((name, "condition") for name in CONDITIONS)],
)
def test_every_state_and_condition_is_explained(name: str, kind: str) -> None:
    ended = call("explain", name)

    assert ended.code == 0
    assert f"{name}: a {kind} of a MyResource\n\nMeaning" in ended.out
    assert "What to do" in ended.out.partition(f"a {kind}")[2]


def test_the_states_and_conditions_are_those_of_the_code() -> None:
    described = descriptions(MyResourceStatus)["state"]

    assert set(re.findall(r"[A-Z][a-z]+", described.partition("Depend")[0])) - {"Summary"} == set(STATES)
    assert {term.name for term in TERMS if term.kind == "state"} == set(STATES)
    assert {seen.type for seen in ANSWERS} <= set(CONDITIONS)


@pytest.mark.parametrize("name", sorted({*REASONS, *STATES, *CONDITIONS}))
def test_on_a_terminal_words_and_commands_are_never_broken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    plain = call("explain", name).out
    wrapped = shown("explain", name)

    assert wrapped.split() == plain.split()
    for line in wrapped.splitlines():
        assert len(line) <= 60 or "kubectl " in line
    for found in re.findall(r": (kubectl [\w -]*\w)", plain):
        assert found in wrapped


def test_capitals_do_not_matter() -> None:
    assert call("explain", "notapplied") == call("explain", "NotApplied")


def test_without_a_word_the_reasons_the_states_and_the_conditions_are_listed() -> None:
    tables = [table.splitlines() for table in call("explain").out.split("\n\n")]

    assert [title for title, *_ in tables] == ["Reasons of the Ready condition:", "States:", "Conditions:"]
    assert [[row.split()[0] for row in rows] for _, *rows in tables] == [
        list(REASONS),
        [term.name for term in TERMS if term.kind == "state"],
        [term.name for term in TERMS if term.kind == "condition"],
    ]
