"""Docstrings: their examples are Python code, and the modules and names in them exist."""

from collections.abc import Callable
from pathlib import Path

import pytest

from toolkit.docstrings import RULES, docstrings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("find", RULES)
def test_what_a_docstring_names_exists(find: Callable[[Path, str], list[str]]) -> None:
    assert {file: found for file, text in docstrings(ROOT / "app").items() if (found := find(file, text))} == {}
