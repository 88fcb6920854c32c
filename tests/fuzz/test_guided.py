"""The fuzzer itself: it finds what it must find, and nothing else in a short run."""

import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.slow import only_whole, short_or_whole

pytest.importorskip("atheris", reason="atheris has no package for this system")
CORPUS = Path(__file__).parent / "corpus"

BROKEN = """
import json
from msgspec.structs import replace
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


def fuzz(folder: Path, runs: int, *command: str, seed: int = 1) -> subprocess.CompletedProcess[str]:
    """Run the fuzzer, which writes into *folder*, for so many *runs*."""
    options = (f"-runs={runs}", f"-seed={seed}", "-max_len=20000", f"-artifact_prefix={folder}/")
    start = [sys.executable, *(command or ("-m", "tests.fuzz.guided")), str(folder), str(CORPUS), *options]
    return subprocess.run(start, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.slow
def test_a_bounded_run_finds_nothing(tmp_path: Path, random_seed: int) -> None:
    runs = short_or_whole(100, 3_000)

    ended = fuzz(tmp_path, runs, seed=random_seed + 1)  # 0 would have libFuzzer draw one

    assert (ended.returncode, f"Done {runs} runs" in ended.stderr) == (0, True), ended.stderr


@pytest.mark.slow
@only_whole
def test_a_hook_that_trusts_a_request_would_be_found(tmp_path: Path) -> None:
    ended = fuzz(tmp_path, 100_000, "-c", BROKEN)

    assert ended.returncode != 0
    assert "Uncaught Python exception" in ended.stdout + ended.stderr
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("crash-")]
