"""Docstrings: their examples are Python code, and the modules and names in them exist."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from toolkit.docstrings import RULES, docstrings, invalid_blocks, literal_blocks, unknown_modules, unknown_names
from toolkit.root import ROOT


@pytest.mark.parametrize("find", RULES)
def test_what_a_docstring_names_exists(find: Callable[[Path, str], list[str]]) -> None:
    modules = docstrings(ROOT / "src/metahook")

    assert {file: found for file, text in modules.items() if (found := find(file, text))} == {}


@pytest.mark.parametrize(
    ("find", "wrong", "right"),
    [
        pytest.param(unknown_modules, "    gone    was here", "    server    is here", id="a module in a list"),
        pytest.param(unknown_names, "See :mod:`metahook.gone`.", "See :mod:`metahook.server`.", id="a reference"),
        pytest.param(
            invalid_blocks, "One.\n\n::\n\n    with it:\n    use()\n", "One.\n\n::\n\n    use()\n", id="an example"
        ),
    ],
)
def test_a_wrong_docstring_is_found(find: Callable[[Path, str], list[str]], wrong: str, right: str) -> None:
    package = ROOT / "src/metahook/__init__.py"

    assert find(package, wrong)
    assert not find(package, right)


def test_the_module_to_read_first_has_an_example() -> None:
    folder = ROOT / "src/metahook/envtest"
    (block,) = literal_blocks(docstrings(folder)[folder / "cluster.py"])

    assert isinstance(ast.parse(block).body[0], ast.With)
