"""Docstrings: their examples are Python code, and the modules and names in them exist."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
MODULES = {
    file: ast.get_docstring(ast.parse(file.read_text())) or ""
    for folder in ("app", "metahook/src/metahook")
    for file in sorted((ROOT / folder).rglob("*.py"))
}
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


@pytest.mark.parametrize(
    ("find", "wrong", "right"),
    [
        pytest.param(unknown_modules, "    gone    was here", "    app    is here", id="a module in a list"),
        pytest.param(unknown_names, "See :mod:`app.core.gone`.", "See :mod:`app.core.sync`.", id="a reference"),
        pytest.param(
            invalid_blocks, "One.\n\n::\n\n    with it:\n    use()\n", "One.\n\n::\n\n    use()\n", id="an example"
        ),
    ],
)
def test_what_a_docstring_names_exists(find: Callable[[Path, str], list[str]], wrong: str, right: str) -> None:
    package = ROOT / "__init__.py"

    assert {file: found for file, text in MODULES.items() if (found := find(file, text))} == {}
    assert find(package, wrong)
    assert not find(package, right)


def test_the_module_to_read_first_has_an_example() -> None:
    (block,) = literal_blocks(MODULES[ROOT / "metahook/src/metahook/envtest/cluster.py"])

    assert isinstance(ast.parse(block).body[0], ast.With)
