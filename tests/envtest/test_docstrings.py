"""The examples in docstrings are Python code: each literal block, which begins after a line that ends with ``::``."""

import ast
import inspect
import pkgutil
import re
from importlib import import_module
from textwrap import dedent

import pytest

import metahook

NAMES = [module.name for module in pkgutil.walk_packages(metahook.__path__, "metahook.")]
_LITERAL_BLOCK = re.compile(r"^[^\n]*::\n\n((?:(?: +[^\n]*)?\n)+)", re.MULTILINE)


def literal_blocks(docstring: str) -> list[str]:
    return [dedent(block) for block in _LITERAL_BLOCK.findall(f"{inspect.cleandoc(docstring)}\n")]


@pytest.mark.parametrize("name", NAMES)
def test_a_literal_block_is_code(name: str) -> None:
    for block in literal_blocks(import_module(name).__doc__ or ""):
        ast.parse(block)


def test_the_module_to_read_first_has_an_example() -> None:
    (block,) = literal_blocks(import_module("metahook.envtest.cluster").__doc__ or "")

    assert isinstance(ast.parse(block).body[0], ast.With)


def test_a_block_that_lost_its_indentation_is_noticed() -> None:
    (block,) = literal_blocks("An example.\n\n::\n\n    with it:\n    use()\n")

    with pytest.raises(IndentationError):
        ast.parse(block)
