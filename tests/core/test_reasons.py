import re

import pytest

from app.core.reasons import POD_REASONS, REASONS, Reason
from tests.build import condition, my_resource, sync

OF_THE_NAME = {"name", "namespace", "uid", "holder", "handover", "until", "others"}
WORDS = OF_THE_NAME | {
    "problem",
    "kind",
    "child",
    "path",
    "write",
    "refusers",
    "waits",
    "missing",
    "refusal",
    "fields",
    "command",
}
OF_A_CAUSE = {
    "who",
    "problem",
    "remedy",
    "why",
    "where",
    "code",
    "hint",
    "command",
    "options",
    "requests",
    "constraints",
    "claims",
}


@pytest.mark.parametrize("found", REASONS.values(), ids=REASONS)
def test_a_reason_has_a_message_of_known_words_a_cause_and_a_way_out(found: Reason) -> None:
    words = WORDS | OF_A_CAUSE if found in POD_REASONS else WORDS
    assert set(re.findall(r"{(\w+)}", found.message)) <= words
    assert found.cause.endswith((".", ")"))
    assert found.remedy


@pytest.mark.parametrize("found", REASONS.values(), ids=REASONS)
def test_a_reason_is_one_word_as_the_api_conventions_ask(found: Reason) -> None:
    assert re.fullmatch("[A-Z][A-Za-z]+", found.name)


def test_braces_in_a_users_words_do_not_disturb_the_message() -> None:
    answer = sync(my_resource("{uid}"))

    assert condition(answer)["reason"] == "InvalidSpec"
