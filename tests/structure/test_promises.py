"""tests/e2e/README.md: each file keeps a promise that a user knows, by a test that is there."""

import re
from pathlib import Path

from tests.e2e.conftest import FILES

E2E = Path(__file__).parents[1] / "e2e"
PROMISES = re.findall(r"\| `(test_\w+\.py)::(\w+)` \|$", (E2E / "README.md").read_text(), re.MULTILINE)
CONTROLS = {"test_measures.py"}
"""Files of negative controls."""


def test_each_promise_has_its_test() -> None:
    defined = {file: set(re.findall(r"^def (test_\w+)\(", (E2E / file).read_text(), re.MULTILINE)) for file in FILES}

    assert len({*PROMISES}) == len(PROMISES) > 50
    assert [(file, name) for file, name in PROMISES if name not in defined[file]] == []


def test_each_file_keeps_one() -> None:
    assert {file for file, _ in PROMISES} == {*FILES} - CONTROLS
