"""Docstrings: whether their examples are Python code, and the modules and names in them exist."""

import ast
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path
from textwrap import dedent

_LITERAL_BLOCK = re.compile(r"^[^\n]*::\n\n((?:(?: +[^\n]*)?\n)+)", re.MULTILINE)
_ROW = re.compile(r"^    (\w+)  +\S", re.MULTILINE)
"""A module in the list that a package's docstring may have."""
_REFERENCE = re.compile(r":(?:mod|class|func|meth):`~?((?:app|metahook)\.[\w.]+)`")


def literal_blocks(docstring: str) -> list[str]:
    """Return the literal blocks of *docstring*: each begins after a line that ends with ``::``."""
    return [dedent(block) for block in _LITERAL_BLOCK.findall(f"{inspect.cleandoc(docstring)}\n")]


def unknown_modules(file: Path, docstring: str) -> list[str]:
    """Return what the *docstring* of the package whose ``__init__.py`` is *file* lists, and the package has not."""
    names = _ROW.findall(docstring) if file.name == "__init__.py" else []
    return [name for name in names if not ((file.parent / f"{name}.py").exists() or (file.parent / name).is_dir())]


def unknown_names(_: Path, docstring: str) -> list[str]:
    """Return the references in *docstring* to what does not exist."""
    return [name for name in _REFERENCE.findall(docstring) if not exists(name)]


def exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def invalid_blocks(_: Path, docstring: str) -> list[str]:
    """Return the literal blocks of *docstring* that are not Python."""
    return [block for block in literal_blocks(docstring) if not is_code(block)]


def is_code(block: str) -> bool:
    try:
        ast.parse(block)
    except SyntaxError:
        return False
    return True


@cache
def docstrings(folder: Path) -> dict[Path, str]:
    """Return the docstring of each module in *folder*."""
    return {file: ast.get_docstring(ast.parse(file.read_text())) or "" for file in sorted(folder.rglob("*.py"))}


RULES = (unknown_modules, unknown_names, invalid_blocks)
"""Each returns what is wrong with the docstring of a file."""
