"""The structure of the code: the rules that make check enforces, each with a violation that it finds."""

import importlib.metadata
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from toolkit.docstrings import RULES, docstrings
from toolkit.modules import contracts_hold, long_modules
from toolkit.slow import short_or_whole

ROOT = Path(__file__).parents[2]
TOOLKIT = "metahook/src"


@pytest.fixture(name="house")
def _house(tmp_path: Path) -> Path:
    """Return a copy of the code that a test may damage."""
    for name in ("app", "metahook"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold(house: Path) -> None:
    assert contracts_hold(house, house / TOOLKIT)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "line"),
    [
        pytest.param("app/core/sync.py", "import metahook.server.app", id="the core knows of HTTP"),
        pytest.param("app/core/sync.py", "import metahook.simulator.clock", id="the core is simulated by itself"),
        pytest.param("app/core/sync.py", "import metahook.cli.errors", id="the core knows the command"),
        pytest.param("app/core/facts.py", "import app.core.readiness", id="the facts judge"),
        pytest.param("app/core/desired/desired_state.py", "import time", id="the core reads the clock"),
        pytest.param("app/cli/plugin/tree.py", "import subprocess", id="the tree of the plugin runs a program"),
        pytest.param("app/cli/plugin/commands.py", "import httpx", id="the plugin reaches a cluster without kubectl"),
        pytest.param("app/cli/crd.py", "import metahook.cli.errors", id="a command passes the doors"),
        pytest.param("app/core/sync.py", "import metahook.commands", id="the core takes the door of the commands"),
        pytest.param("app/main.py", "import metahook.simulator", id="what serves simulates"),
        pytest.param("app/api/spec.py", "import metahook", id="the API knows the protocol"),
        pytest.param("app/api/spec.py", "import os", id="the API reads the environment"),
    ][:: short_or_whole(6, 1)],
)
def test_an_import_that_points_the_wrong_way_breaks_a_contract(house: Path, module: str, line: str) -> None:
    file = house / module
    file.write_text(f"{file.read_text()}\n{line}\n")

    assert not contracts_hold(house, house / TOOLKIT)


@pytest.mark.parametrize("find", RULES)
def test_what_a_docstring_names_exists(find: Callable[[Path, str], list[str]]) -> None:
    assert {file: found for file, text in docstrings(ROOT / "app").items() if (found := find(file, text))} == {}


def test_every_module_can_be_read_from_top_to_bottom() -> None:
    assert long_modules(ROOT / "app") == []


NEVER_IMPORTED = {
    "metahook": ("app", "bench", "charts", "release", "tests", "website"),
    **dict.fromkeys(("app", "charts", "release", "website"), ("bench", "tests")),
}
"""Packages, by the folder whose modules know nothing of them: that of the toolkit, and those of what we ship."""


@pytest.mark.parametrize(("folder", "packages"), NEVER_IMPORTED.items(), ids=NEVER_IMPORTED)
def test_no_module_imports_what_it_must_not_know(folder: str, packages: tuple[str, ...]) -> None:
    """An import inside a function counts, too."""
    line = re.compile(rf"^\s*(?:from|import) ({'|'.join(packages)})\b", re.MULTILINE)
    texts = {file: file.read_text() for file in (ROOT / folder).rglob("*.py")}

    assert line.findall("def late():\n    from tests.main import main\n") == ["tests"]
    assert texts
    assert {file: found for file, text in texts.items() if (found := line.findall(text))} == {}


def pins(file: str) -> list[str]:
    """Return the lines of a lock *file* that pin a package."""
    lines = (ROOT / f"requirements/{file}.txt").read_text().splitlines()
    return [line for line in lines if "==" in line and not line.lstrip().startswith("#")]


@pytest.mark.parametrize(
    "name",
    ["run", "cli", "dev", "site", "mutants", "../metahook/requirements/cli", "../metahook/requirements/dev"],
)
def test_the_lock_files_hold_hashes_and_no_address(name: str) -> None:
    text = (ROOT / f"requirements/{name}.txt").read_text()

    assert pins(name)
    assert all(line.endswith("\\") for line in pins(name))
    assert text.count("--hash=sha256:") >= len(pins(name))
    assert "://" not in text
    assert "--index-url" not in text


def test_the_lock_names_the_extras_that_its_packages_require() -> None:
    """An installation by pip 23 fails once there is a newer release of a package whose extra the lock does not name."""
    locked = [Requirement(line.removesuffix("\\")) for line in pins("dev")]
    extras = {package.name: package.extras for package in locked}
    required = [
        dependency
        for package in locked
        if package.marker is None or package.marker.evaluate()
        for dependency in map(Requirement, importlib.metadata.requires(package.name) or ())
        if dependency.marker is None or any(dependency.marker.evaluate({"extra": e}) for e in ("", *package.extras))
    ]

    assert {str(dependency) for dependency in required if dependency.extras}
    assert [
        str(dependency) for dependency in required if dependency.extras - extras[canonicalize_name(dependency.name)]
    ] == []


def test_what_runs_is_locked_at_the_same_versions_as_what_is_tested() -> None:
    run, cli, dev = ({line.split(" ")[0] for line in pins(name)} for name in ("run", "cli", "dev"))

    assert run <= cli <= dev
