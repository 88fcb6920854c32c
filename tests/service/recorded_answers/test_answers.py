"""What the hook answers over the wire, and the command to its settings, is what version 0.2.0 answered."""

from collections.abc import Iterator
from pathlib import Path

from tests.service.recorded_answers import commands, servers
from tests.service.recorded_answers.differences import DIFFERENCES
from tests.service.recorded_answers.exchange import Answer
from tests.service.recorded_answers.recorded import COMMANDS, Answers, load

RECORDED = load()


def different(answers: Answers, expected: Answers) -> dict[str, tuple[Answer | None, Answer | None]]:
    """Return the answers that are not the expected ones, by client and name, each with the expected one after it."""
    return dict(_different(answers, expected))


def _different(answers: Answers, expected: Answers) -> Iterator[tuple[str, tuple[Answer | None, Answer | None]]]:
    for client in {**answers, **expected}:
        now, before = answers.get(client, {}), expected.get(client, {})
        for name in {**now, **before}:
            if now.get(name) != before.get(name):
                yield f"{client}: {name}", (now.get(name), before.get(name))


def expected() -> Answers:
    """Return the recorded answers, those that are meant to differ as they are meant."""
    meant = {client: {name: each.answer for name, each in found.items()} for client, found in DIFFERENCES.items()}
    return {client: {**found, **meant.get(client, {})} for client, found in RECORDED.items()}


def test_each_request_gets_the_answer_of_0_2_0() -> None:
    answers = servers.all_answers()

    assert different(answers, {client: found for client, found in expected().items() if client != COMMANDS}) == {}


def test_each_setting_gets_the_answer_of_0_2_0(tmp_path: Path) -> None:
    answers: Answers = {COMMANDS: {**commands.answers_of(tmp_path)}}

    assert different(answers, {COMMANDS: expected()[COMMANDS]}) == {}


def test_each_difference_is_one_and_has_a_reason() -> None:
    for client, found in DIFFERENCES.items():
        for name, difference in found.items():
            assert difference.answer != RECORDED[client][name]
            assert difference.reason


def test_an_answer_that_is_another_or_missing_or_new_would_be_found() -> None:
    before: Answers = {"a": {"same": "200", "other": "400 no", "missing": "404"}}
    now: Answers = {"a": {"same": "200", "other": "500 no", "new": ["100", "200"]}}

    assert different(now, before) == {
        "a: other": ("500 no", "400 no"),
        "a: missing": (None, "404"),
        "a: new": (["100", "200"], None),
    }
