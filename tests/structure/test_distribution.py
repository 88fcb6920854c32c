"""The toolkit beside the operator: what both need is locked together, and pip never looks for it at an index."""

import re
import tomllib
from pathlib import Path

import pytest

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
    locked = "".join(file.read_text() for file in ROOT.glob("**/requirements/*.txt"))

    assert not [each for each in [*OPERATOR["dependencies"], *extras] if each.startswith("metahook")]
    assert "\nmetahook" not in locked


_PAGES = ["README.md", "CONTRIBUTING.md", "Makefile", "Dockerfile", ".ci/run", "metahook/README.md"]
_PAGES += sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("**/docs/**/*.md"))
_ASKED_FOR = re.compile(r"pip install[^\n`]*(?<![/\w.])metahook")


@pytest.mark.parametrize("page", _PAGES)
def test_no_documented_command_installs_it_by_its_name(page: str) -> None:
    assert not _ASKED_FOR.search((ROOT / page).read_text())
