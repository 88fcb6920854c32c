import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.core.reasons import POD_REASONS, REASONS, Reason
from app.core.status import conditions
from app.core.status.conditions import ANSWERS, CONDITIONS
from app.core.status.conditions.ready import WORDS
from tests.requests.builders import condition, my_resource, sync

HERE = Path(__file__)
NO_TEST = "no test in tests/core has these words"


def placeholders(message: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", message))


@pytest.mark.parametrize("reason", REASONS.values(), ids=REASONS)
def test_a_reason_is_one_word_with_a_message_of_known_words_a_cause_and_a_way_out(reason: Reason) -> None:
    assert re.fullmatch("[A-Z][A-Za-z]+", reason.name), "the API conventions ask for that"
    # Those of the reasons that Pods give are explained with them: see tests/core/diagnosis/test_pod_messages.py.
    assert reason in POD_REASONS or placeholders(reason.message) <= WORDS.keys(), "a sync would fail"
    assert reason.cause.endswith((".", ")"))
    assert reason.remedy


def test_all_words_are_used() -> None:
    used = set[str]().union(*(placeholders(reason.message) for reason in REASONS.values()))

    assert WORDS.keys() <= used


def test_a_word_of_an_example_is_one_of_its_message() -> None:
    examples = [(each.message, each.example_words) for each in ANSWERS]
    examples += [(each.message, each.example_words) for each in REASONS.values()]

    assert [message for message, words in examples if not words.keys() <= placeholders(message)] == []


def unseen(names: Iterable[str]) -> set[str]:
    """Return those of *names* that no other test of the core has."""
    texts = [file.read_text() for file in HERE.parent.rglob("test_*.py") if file != HERE]
    return set(names) - set(re.findall(r'"([A-Z][A-Za-z0-9]+)"', "".join(texts)))


def test_the_tests_of_the_core_see_every_reason() -> None:
    assert unseen(REASONS) == set(), NO_TEST


def test_each_module_of_a_condition_is_listed() -> None:
    files = {file.stem for file in Path(conditions.__file__).parent.glob("[!_]*.py")}

    assert files == {vars(each)["__name__"].rpartition(".")[2] for each in CONDITIONS}


def test_a_condition_has_a_type_and_one_besides_those_of_ready_says_something() -> None:
    assert {each.TYPE.name for each in CONDITIONS} - {"Ready", "Reconciling", "Stalled"} == {
        each.type for each in ANSWERS
    }


@pytest.mark.parametrize("kind", sorted({seen.type for seen in ANSWERS}))
def test_the_tests_of_the_core_see_every_condition_with_each_of_its_reasons(kind: str) -> None:
    assert unseen({kind, *(seen.reason for seen in ANSWERS if seen.type == kind)}) == set(), NO_TEST


def test_a_condition_without_a_test_is_noticed() -> None:
    """The negative control of the two tests above."""
    assert unseen({"Ready", "Forgotten"}) == {"Forgotten"}


def test_braces_in_a_users_words_do_not_disturb_the_message() -> None:
    answer = sync(my_resource("{uid}"))

    assert condition(answer)["reason"] == "InvalidSpec"
