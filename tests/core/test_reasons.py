import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from app.core.diagnosis.words import CauseWords
from app.core.reasons import POD_REASONS, REASONS, Reason
from app.core.status.conditions import OTHER_CONDITIONS
from app.core.status.words import WORDS
from tests.build import condition, my_resource, sync

CAUSES = {words.reason.name: words for words in CauseWords.__subclasses__()}


def unknown_words(reason: Reason) -> set[str]:
    """Return the words of a message that no cause of it provides; a sync would fail for each of them."""
    of_cause = fields(CAUSES[reason.name]) if reason.name in CAUSES else ()
    return placeholders(reason.message) - WORDS.keys() - {field.name for field in of_cause}


def placeholders(message: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", message))


@pytest.mark.parametrize("reason", REASONS.values(), ids=REASONS)
def test_a_reason_has_a_message_of_known_words_a_cause_and_a_way_out(reason: Reason) -> None:
    assert unknown_words(reason) == set()
    assert reason.cause.endswith((".", ")"))
    assert reason.remedy


@pytest.mark.parametrize("name", ["Building", "CrashLooping"])
def test_a_message_with_another_word_is_noticed(name: str) -> None:
    """The negative control of the test above: words of other causes are no words of this one."""
    other = replace(REASONS[name], message="{name} {constraints}")

    assert unknown_words(other) == {"constraints"}


def test_the_causes_that_pods_give_have_words_for_one_reason_each_and_no_more_than_its_message_has() -> None:
    assert sorted(CAUSES) == sorted(reason.name for reason in POD_REASONS)
    for words in CAUSES.values():
        assert {field.name for field in fields(words)} <= placeholders(words.reason.message)


def test_all_words_are_used() -> None:
    used = set[str]().union(*(placeholders(reason.message) for reason in REASONS.values()))

    assert WORDS.keys() <= used


def test_the_only_word_of_the_other_conditions_is_what_fills_it() -> None:
    assert {each.reason: placeholders(each.message) for each in OTHER_CONDITIONS if "{" in each.message} == {
        "DependenciesNotMet": {"dependencies"}
    }


def test_the_tests_of_the_core_see_every_reason() -> None:
    texts = [file.read_text() for file in Path(__file__).parent.rglob("test_*.py")]

    assert REASONS.keys() - set(re.findall(r'"([A-Z][A-Za-z]+)"', "".join(texts))) == set()


@pytest.mark.parametrize("reason", REASONS.values(), ids=REASONS)
def test_a_reason_is_one_word_as_the_api_conventions_ask(reason: Reason) -> None:
    assert re.fullmatch("[A-Z][A-Za-z]+", reason.name)


def test_braces_in_a_users_words_do_not_disturb_the_message() -> None:
    answer = sync(my_resource("{uid}"))

    assert condition(answer)["reason"] == "InvalidSpec"
