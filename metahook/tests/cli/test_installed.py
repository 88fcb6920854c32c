"""The toolkit as pip installs it into an empty environment, by the commands of the pages."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.root import ROOT

pytestmark = pytest.mark.tools

GREETING = ROOT / "examples/greeting"
PAGE_COMMANDS = re.compile(
    r"^    pip install '/path/to/this/repository/(.*)'\n    (pytest.*?)(?:  +#.*)?$", re.MULTILINE
)


def installed(folder: Path, requirement: str) -> dict[str, str]:
    """Return the variables of an environment in *folder* with *requirement*, such as ``metahook[test]``."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pip = [
        str(folder / "venv/bin/pip"),
        "install",
        "--quiet",
        "--disable-pip-version-check",
        f"{ROOT.parent}/{requirement}",
    ]
    subprocess.run(pip, check=True)
    return {**os.environ, "PATH": f"{folder / 'venv/bin'}:{os.environ['PATH']}"}


@pytest.mark.parametrize(("page", "outcome"), [("test-your-hook", "passed"), ("test-on-a-cluster", "passed|skipped")])
def test_the_commands_of_a_page_run_the_tests_of_a_copied_hook(page: str, outcome: str, tmp_path: Path) -> None:
    ((requirement, tests),) = PAGE_COMMANDS.findall((ROOT.parent / f"docs/{page}.md").read_text())
    copied = shutil.copytree(GREETING, tmp_path / "greeting")

    ended = subprocess.run(
        [*shlex.split(tests), "-q", "--strict-markers"],
        cwd=copied,
        env=installed(tmp_path, requirement),
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(rf"\d+ ({outcome})", ended.stdout)


def test_the_command_that_the_bare_package_installs_names_its_extra(tmp_path: Path) -> None:
    environment = installed(tmp_path, "metahook")

    for arguments in ([], ["--help"], ["check", "--help"]):
        ended = subprocess.run(["metahook", *arguments], env=environment, capture_output=True, text=True, check=False)  # noqa: S607 - of that environment

        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("metahook: needs click; install it with: pip install './metahook[cli]'")
