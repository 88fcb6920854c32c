"""The fuzzer itself: it finds what it must find, and nothing else in a short run."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.mutation import mutated

pytest.importorskip("atheris", reason="atheris has no package for this system")
CORPUS = Path(__file__).parent / "corpus"

BROKEN = """
import json
from dataclasses import replace
from tests.fuzz import guided

def trusting(request, now):
    status = json.loads(request.parent.status) or {}
    for condition in status.get("conditions", []):
        condition["lastTransitionTime"]
    return HOOK.sync(request, now)

HOOK = guided.HOOK
guided.HOOK = replace(HOOK, sync=trusting)
guided.main()
"""
"""Fuzzes a hook that trusts the status of its parent."""


def fuzz(folder: Path, runs: int, *command: str) -> subprocess.CompletedProcess[str]:
    """Run the fuzzer, which writes into *folder*, for so many *runs*."""
    options = (f"-runs={runs}", "-seed=1", "-max_len=20000", f"-artifact_prefix={folder}/")
    start = [sys.executable, *(command or ("-m", "tests.fuzz.guided")), str(folder), str(CORPUS), *options]
    return subprocess.run(start, capture_output=True, text=True, check=False, timeout=100)


def test_a_short_run_finds_nothing(tmp_path: Path) -> None:
    ended = fuzz(tmp_path, 750)

    assert (ended.returncode, "Done 750 runs" in ended.stderr) == (0, True), ended.stderr


def test_a_hook_that_trusts_a_request_would_be_found(tmp_path: Path) -> None:
    ended = fuzz(tmp_path, 100_000, "-c", BROKEN)

    assert ended.returncode != 0
    assert "Uncaught Python exception" in ended.stdout + ended.stderr
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("crash-")]


@pytest.mark.parametrize("file", sorted(CORPUS.iterdir()), ids=lambda file: file.name)
def test_a_mutation_depends_on_its_seed_alone(file: Path) -> None:
    body = file.read_bytes()

    assert mutated(body, 1) == mutated(body, 1)
    assert not body or len({mutated(body, seed) for seed in range(20)}) > 3
