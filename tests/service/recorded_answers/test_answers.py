"""What the hook answers over the wire is what answers.yaml has, which ``--update-golden`` writes."""

import sys
from pathlib import Path

import pytest
import yaml

from tests.service.recorded_answers.exchange import Answer
from tests.service.recorded_answers.servers import all_answers

GOLDEN = Path(__file__).with_name("answers.yaml")
INTRODUCTION = """\
# What the hook answers, by client and name: the modules of requests have these names.
# An id, a time and the number of Retry-After are left out: each answer has its own.
"""


class Dumper(yaml.SafeDumper):
    """Writes a long answer once, however often it is given."""

    def ignore_aliases(self, data: object) -> bool:
        """Tell whether *data* is written again."""
        return not (isinstance(data, str) and len(data) > 300)


def written(answers: dict[str, dict[str, Answer]]) -> str:
    same = {
        client: {
            name: sys.intern(answer) if isinstance(answer, str) else [*map(sys.intern, answer)]
            for name, answer in found.items()
        }
        for client, found in answers.items()
    }
    return INTRODUCTION + yaml.dump(same, Dumper=Dumper, sort_keys=False, width=10_000, allow_unicode=True)


def test_each_request_gets_the_recorded_answer(pytestconfig: pytest.Config) -> None:
    answers = all_answers()
    if pytestconfig.getoption("update_golden"):
        GOLDEN.write_text(written(answers))
    golden: dict[str, dict[str, Answer]] = yaml.load(GOLDEN.read_text(), yaml.CSafeLoader)

    assert answers.keys() == golden.keys()
    for client, found in answers.items():
        recorded = golden[client]
        differ = {name for name in {**found, **recorded} if found.get(name) != recorded.get(name)}
        assert {name: found.get(name) for name in differ} == {name: recorded.get(name) for name in differ}, client
