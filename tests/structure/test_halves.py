"""The two halves: nothing of the toolkit, its tests and examples imports what belongs to the operator."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPERATOR = {"app", "bench", "charts", "release", "tests", "website"}


def imports_of_the_operator(text: str) -> set[str]:
    """Return the packages of the operator that a module with *text* imports, wherever in it."""
    names = set[str]()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name.partition(".")[0] for alias in aliases}
            case ast.ImportFrom(module=str(module), level=0):
                names.add(module.partition(".")[0])
            case _:
                pass
    return names & OPERATOR


def test_the_toolkit_knows_nothing_of_the_operator() -> None:
    files = sorted((ROOT / "metahook").rglob("*.py"))

    assert len(files) > 300
    assert {file: found for file in files if (found := imports_of_the_operator(file.read_text()))} == {}


def test_a_module_that_knows_the_operator_is_found() -> None:
    assert imports_of_the_operator("import json\n\n\ndef late():\n    from app.main import main\n") == {"app"}
    assert imports_of_the_operator("from metahook import tests\nfrom . import app\nimport application\n") == set()
