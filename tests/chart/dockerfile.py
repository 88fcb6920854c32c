"""Reads the Dockerfile."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Step:
    """An instruction and its arguments."""

    word: str
    rest: str

    def form(self) -> list[str]:
        """Return the arguments of an instruction in exec form, which needs no shell."""
        words: list[str] = json.loads(self.rest)
        return words


def steps() -> list[Step]:
    """Return the instructions of the Dockerfile, in order."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Step(*line.split(" ", 1)) for line in lines]


def stages() -> list[list[Step]]:
    """Return the instructions of each stage."""
    found: list[list[Step]] = []
    for step in steps():
        if step.word == "FROM":
            found.append([])
        if found:
            found[-1].append(step)
    return found


def arguments() -> dict[str, str]:
    """Return the defaults of the arguments."""
    return dict(step.rest.split("=", 1) for step in steps() if step.word == "ARG")


def last(word: str) -> Step:
    """Return the last instruction *word* of the last stage."""
    return [step for step in stages()[-1] if step.word == word][-1]
