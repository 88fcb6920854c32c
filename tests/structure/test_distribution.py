"""The toolkit beside the operator: what both need is locked together, and pip never looks for it at an index."""

import re
import tomllib
from pathlib import Path

from website.site import pages

ROOT = Path(__file__).parents[2]
TOOLKIT = tomllib.loads((ROOT / "metahook/pyproject.toml").read_text())["project"]
_PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OPERATOR = _PYPROJECT["project"]
DEVELOPERS = [each for each in _PYPROJECT["dependency-groups"]["dev"] if isinstance(each, str)]
OF_SERVER = "metahook[server]"
"""How an extra of the toolkit includes the extra ``server``."""


def test_what_the_toolkit_needs_is_locked_with_the_operator() -> None:
    extras = TOOLKIT["optional-dependencies"]

    assert {*TOOLKIT["dependencies"], *extras["server"]} <= set(OPERATOR["dependencies"])
    locked = {*OPERATOR["dependencies"], *OPERATOR["optional-dependencies"]["cli"], *DEVELOPERS}
    assert {*extras["cli"], *extras["test"]} <= {OF_SERVER, *locked}


def test_the_operator_does_not_let_pip_look_for_the_toolkit() -> None:
    extras = [each for extra in OPERATOR["optional-dependencies"].values() for each in extra]
    locks = [file for folder in ("", "metahook/") for file in ROOT.glob(f"{folder}requirements/*.txt")]

    assert not [each for each in [*OPERATOR["dependencies"], *extras] if each.startswith("metahook")]
    assert locks
    assert [file for file in locks if "\nmetahook" in file.read_text()] == []


def test_no_documented_command_installs_it_by_its_name() -> None:
    asked_for = re.compile(r"pip install[^\n`]*(?<![/\w.])metahook")
    files = [*pages(), *(ROOT / name for name in ("Makefile", "Dockerfile", ".ci/run"))]

    assert asked_for.search("pip install metahook")
    assert [file for file in files if asked_for.search(file.read_text())] == []
