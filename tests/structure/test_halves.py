"""The two halves: the tests of the toolkit, and the helpers that they import, know nothing of the operator."""

from functools import cache
from itertools import chain
from pathlib import Path

from tests.structure.test_contracts import ROOT, imported_files

TOOLKIT = (
    "envtest",
    "hooks",
    "metahook_cli",
    "protocol",
    "record",
    "schemas",
    "served",
    "server",
    "simulator",
    "testing",
    "toolkit",
)
"""The folders of the toolkit's tests."""


@cache
def imports(file: Path, root: Path) -> tuple[Path, ...]:
    """Return the modules that *file* imports, which many modules ask for."""
    return tuple(imported_files(file, root))


def knows_the_operator(module: Path, root: Path) -> bool:
    """Tell whether *module*, or what it imports, imports the operator."""
    reached, left = set[Path](), [module]
    while left:
        file = left.pop()
        if file not in reached:
            reached.add(file)
            left += imports(file, root)
    return any(file.is_relative_to(root / "app") for file in reached)


def modules_that_know_the_operator(folder: str, root: Path = ROOT) -> list[str]:
    """Return the modules of a *folder* of tests which know the operator."""
    modules = sorted((root / "tests" / folder).rglob("*.py"))
    assert modules, f"{folder} has no modules"
    return [str(module.relative_to(root / "tests")) for module in modules if knows_the_operator(module, root)]


def test_the_tests_of_the_toolkit_know_nothing_of_the_operator() -> None:
    assert list(chain.from_iterable(map(modules_that_know_the_operator, TOOLKIT))) == []


def test_a_module_that_knows_the_operator_is_found(tmp_path: Path) -> None:
    texts = {
        "app/main.py": "",
        "tests/helpers/one.py": "from tests.helpers import two",
        "tests/helpers/two.py": "def late():\n    from app.main import main\n",
        "tests/suite/test_direct.py": "import app.main\n",
        "tests/suite/test_by_helpers.py": "from tests.helpers.one import two\n",
        "tests/suite/test_free.py": "import json\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    found = modules_that_know_the_operator("suite", tmp_path)
    assert found == ["suite/test_by_helpers.py", "suite/test_direct.py"]
