"""The wheels in an empty environment, away from this checkout."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.docs.documents import ROOT
from tests.release.conftest import Built
from tests.service.operator import served

pytestmark = pytest.mark.tools


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a directory that is not in this checkout the working directory."""
    monkeypatch.chdir(tmp_path)


def install(python: str, *arguments: str) -> None:
    """Install what pip's *arguments* name into the environment of *python*."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", python]
    subprocess.run([*pip, "install", *arguments], check=True)


@pytest.fixture(name="programs", scope="module")
def _programs(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with the wheels, and what they need as locked."""
    built.file("metahook-VERSION-py3-none-any.whl")
    folder = tmp_path_factory.mktemp("empty") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = f"{folder}/bin/python"
    install(python, "--require-hashes", "--only-binary=:all:", f"--requirement={ROOT}/requirements/run.txt")
    install(python, "--no-index", "--no-deps", *(str(wheel) for wheel in built.folder.glob("*.whl")))
    return folder / "bin"


def test_the_wheel_serves_a_recorded_request_and_uses_nothing_of_this_checkout(programs: Path) -> None:
    body = (ROOT / "examples/requests/ready.json").read_bytes()
    command = [f"{programs}/python", "-c", "import app, metahook; print(app.__file__, metahook.__file__)"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    with served(f"{programs}/myresource", "serve") as hook:
        answer = httpx.post(f"{hook.url}/sync", content=body, headers={"Content-Type": "application/json"})

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()
    assert all(Path(file).is_relative_to(programs.parent) for file in found)


def test_the_wheel_renders_with_the_extra_cli_and_names_it_without(programs: Path, built: Built) -> None:
    arguments = ("render", "-f", str(ROOT / "examples/web.yaml"), "--now", "2026-01-31T12:00:00Z")

    def render() -> subprocess.CompletedProcess[str]:
        return subprocess.run([programs / "myresource", *arguments], capture_output=True, text=True, check=False)

    without = render()
    lines = (ROOT / "requirements/dev.txt").read_text().splitlines()
    locked = [re.sub(r"\[.*?\]", "", line.removesuffix(" \\")) for line in lines]  # a constraint has no extras
    constraints = programs / "constraints.txt"
    constraints.write_text("\n".join(line for line in locked if "==" in line and not line.startswith((" ", "#"))))
    (wheel,) = built.folder.glob("myresource_operator-*.whl")
    install(f"{programs}/python", f"--constraint={constraints}", f"{wheel}[cli]")
    rendered = render()
    command = [sys.executable, "-m", "app", *arguments]
    ours = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert without.returncode == 2
    assert "[cli]" in without.stderr
    assert (rendered.returncode, rendered.stdout) == (0, ours.stdout)
