"""The recorded answers. ``python -m tests.service.recorded_answers.recorded FILE`` writes those of the code here."""

import sys
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

import yaml

from tests.service.recorded_answers import commands, servers
from tests.service.recorded_answers.exchange import Answer

RECORDED = Path(__file__).parent / "0.2.0.yaml"
COMMANDS = "myresource serve"
"""The name of the commands among those of the clients."""

_LONG = 300
"""Characters. A longer answer stands once in the file, however often it was given."""
_INTRODUCTION = """\
# What version 0.2.0 answered: a line for each request, by client and name. The modules of requests and commands.py
# have them by these names. An id, a time and the number of Retry-After are left out: each answer has its own.
# Written by recorded.py at 0.2.0. Do not write it again: an answer that is to differ goes into differences.py.
"""

Answers = dict[str, dict[str, Answer]]
"""By client and name."""


def load() -> Answers:
    """Return what 0.2.0 answered."""
    content = yaml.load(RECORDED.read_text(), yaml.CSafeLoader)
    long = content.pop("long answers")

    def whole(answer: Answer) -> Answer:
        return long.get(answer, answer) if isinstance(answer, str) else [long.get(each, each) for each in answer]

    return {client: {name: whole(answer) for name, answer in found.items()} for client, found in content.items()}


def write(file: Path) -> None:
    """Write what all servers and commands answer now."""
    with tempfile.TemporaryDirectory() as folder:
        found: Answers = {**servers.all_answers(), COMMANDS: {**commands.answers_of(Path(folder))}}
    long: Counter[str] = Counter()

    def short(answer: str) -> str:
        if len(answer) <= _LONG:
            return answer
        long[answer] += 1
        return f"long answer {sha256(answer.encode()).hexdigest()[:8]}"

    content = {
        client: {name: short(each) if isinstance(each, str) else [*map(short, each)] for name, each in given.items()}
        for client, given in found.items()
    }
    texts = {short(answer): answer for answer in list(long)}
    dumped = [
        yaml.safe_dump(part, sort_keys=False, width=10_000, allow_unicode=True)
        for part in (content, {"long answers": texts})
    ]
    file.write_text("\n".join([_INTRODUCTION, *dumped]))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
