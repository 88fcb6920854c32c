"""Reads the Dockerfile, and runs its first stage in a directory, because no image can be built here."""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
IN_IMAGE = re.compile(r"(?<![\w./-])/(venv|srv|build)\b")


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


def the(word: str) -> Step:
    """Return the instruction *word* of the last stage."""
    (found,) = [step for step in stages()[-1] if step.word == word]
    return found


def build(root: Path, python: str, pip: str) -> None:
    """Run the first stage in *root* instead of ``/``, with the commands *python* and *pip*."""
    commands = root / "commands"
    commands.mkdir()
    for name, command in (("python", python), ("pip", pip)):
        (commands / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (commands / name).chmod(0o755)
    for step in stages()[0]:
        if step.word == "COPY":
            _copy(root, *step.rest.split())
        elif step.word == "RUN":
            path = f"{commands}:{os.environ['PATH']}"
            command = IN_IMAGE.sub(rf"{root}/\1", step.rest)
            subprocess.run(["/bin/sh", "-c", command], check=True, env={**os.environ, "PATH": path})


def _copy(root: Path, source: str, target: str) -> None:
    place = root / target.removeprefix("/")
    place.parent.mkdir(exist_ok=True)
    if (ROOT / source).is_dir():
        shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(ROOT / source, place)
