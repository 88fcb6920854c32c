"""The page with all names that the toolkit exports: what their source says of them, without what they do inside.

The source is parsed, because an annotation has the names there that its author wrote.
"""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

PACKAGES = {
    "metahook": "What a hook is made of.",
    "metahook.server": "For a program of your own that serves hooks. Needs the extra `server`.",
    "metahook.simulator": "A cluster in memory, for tests.",
    "metahook.simulator.findings": "What its history shows that a hook does wrong.",
    "metahook.testing": "Parents that Hypothesis generates. Needs the extra `test`.",
    "metahook.envtest": "A real control plane, for tests. Needs the extra `test`.",
    "metahook.commands": "For a command line of your own. Needs the extra `cli`.",
}
"""What each package is for that exports names."""

_BEGIN = """\
# Python reference

For authors of hooks in Python. This page lists all names that `metahook` exports, with their signatures. The [hook
reference](hook-reference.md) explains those that most hooks need.
"""
_LONGEST = 90
"""Characters of a value that is shown."""

_ROLE = re.compile(r":\w+:`~?([\w.]+)`|``(.+?)``", re.DOTALL)
_INNER = ast.Expr(ast.Constant(...))
_END = "\n# next\n"


@dataclass
class Found:
    """A statement that defines a name, the docstring, and those of what is in it."""

    statement: ast.stmt
    docstring: str
    members: list[tuple[str, str]]


def page() -> str:
    """Return the page."""
    found = {(package, name): _found(package, name) for package in PACKAGES for name in exported(package)}
    stubs = _formatted([ast.unparse(_stub(deepcopy(each.statement))) for each in found.values()])
    sections = {package: f"\n## {package}\n\n{text}\n" for package, text in PACKAGES.items()}
    places: dict[int, str] = {}
    for ((package, name), each), stub in zip(found.items(), stubs, strict=True):
        place = places.setdefault(id(each.statement), package)
        again = f"\n### {name}\n\nThe same as in [{place}](#{name.lower()}).\n"
        sections[package] += _section(name, each, stub) if place == package else again
    return _BEGIN + "".join(sections.values())


def _section(name: str, found: Found, stub: str) -> str:
    shown = "" if isinstance(found.statement, ast.Pass) else f"\n```python\n{stub}\n```\n"
    members = "".join(f"- `{member}`: {_first(docstring)}\n" for member, docstring in found.members)
    return f"\n### {name}\n{shown}\n{_markdown(found.docstring)}\n" + (members and f"\n{members}")


def exported(package: str) -> list[str]:
    """Return the names that *package* exports, sorted without regard to case."""
    names: list[str] = vars(importlib.import_module(package))["__all__"]
    return sorted(names, key=lambda name: (name.lower(), name))


@cache
def _source(module: str) -> ast.Module | None:
    """Return the source of *module*, or None if there is no such module."""
    try:
        return ast.parse(Path(importlib.import_module(module).__file__ or "").read_text())
    except ModuleNotFoundError:
        return None


def _found(module: str, name: str) -> Found:
    """Return what defines *name* in *module*, or in one that it imports; raise LookupError if it has no docstring."""
    for statement, docstring in _with_docstrings(_statements(_source(module) or ast.Module([], []))):
        if _name(statement) == name and docstring:
            if isinstance(statement, ast.ClassDef):
                _take_private_bases(statement, module)
            return Found(statement, docstring, list(_members(statement)))
        if isinstance(statement, ast.ImportFrom) and name in [each.name for each in statement.names]:
            inner = _source(f"{statement.module}.{name}")
            if inner is None:
                return _found(str(statement.module), name)
            return Found(ast.Pass(), ast.get_docstring(inner) or "", [])
    message = f"{module}.{name} has no docstring"
    raise LookupError(message)


def _take_private_bases(found: ast.ClassDef, module: str) -> None:
    """Put what its private bases have, which a reader does not see, into the class *found* in *module*."""
    for base in [base for base in found.bases if ast.unparse(base).startswith("_")]:
        inner = _found(module, ast.unparse(base)).statement
        found.bases.remove(base)
        found.body[1:1] = inner.body if isinstance(inner, ast.ClassDef) else []


def _statements(node: ast.Module | ast.If) -> Iterator[ast.stmt]:
    """Yield the statements of a module, also those for type checkers alone."""
    for statement in node.body:
        yield from _statements(statement) if isinstance(statement, ast.If) else [statement]


def _with_docstrings(statements: Iterable[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement with its docstring, which is behind it if it defines a variable."""
    listed = list(statements)
    for statement, after in zip_longest(listed, listed[1:]):
        match statement, after:
            case ((ast.ClassDef() | ast.FunctionDef()), _):
                yield statement, ast.get_docstring(statement) or ""
            case _, ast.Expr(ast.Constant(str(text))):
                yield statement, text
            case _:
                yield statement, ""


def _name(statement: ast.stmt) -> str:
    """Return the name that *statement* defines."""
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return name
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _is_shown(statement: ast.stmt) -> bool:
    name = _name(statement)
    return name == "__init__" or (name != "" and not name.startswith("_"))


def _stub(statement: ast.stmt) -> ast.stmt:
    """Return *statement* without what a caller need not know."""
    match statement:
        case ast.ClassDef(body=body):
            statement.body = [_stub(each) for each in body if _is_shown(each)] or [_INNER]
        case ast.FunctionDef():
            statement.body = [_INNER]
        case ast.AnnAssign(value=ast.expr() as value) | ast.Assign(value=value):
            statement.value = value if len(ast.unparse(value)) <= _LONGEST else ast.Constant(...)
    return statement


def _formatted(stubs: list[str]) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--isolated",
        "--line-length=120",
        "--stdin-filename=stubs.pyi",
        "-",
    ]
    joined = subprocess.run(command, input=_END.join(stubs), capture_output=True, text=True, check=True).stdout  # noqa: S603 - ruff
    return [stub.strip() for stub in joined.split(_END.strip())]


def _members(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the names in a class that have a docstring, with it."""
    for statement, docstring in _with_docstrings(node.body if isinstance(node, ast.ClassDef) else []):
        if docstring and _is_shown(statement) and _name(statement) != "__init__":
            yield _name(statement), docstring


def _markdown(docstring: str) -> str:
    """Return *docstring* as Markdown, with one line for each paragraph that is not a block of code."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    joined = [text if text.startswith("    ") else " ".join(text.split()) for text in paragraphs]
    return _ROLE.sub(lambda found: f"`{found[1] or found[2]}`", "\n\n".join(joined))


def _first(docstring: str) -> str:
    """Return the first paragraph of *docstring*."""
    return _markdown(docstring).partition("\n")[0]
