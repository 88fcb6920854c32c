"""The wheels in an empty environment, away from this checkout."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.docs.documents import ROOT
from tests.release.built import Built
from tests.service.operator import served

pytestmark = pytest.mark.tools


class Environment:
    """A virtual environment in *folder*, with nothing in it."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.python = str(self.bin / "python")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)

    def install(self, *arguments: str) -> None:
        """Install what pip's *arguments* name."""
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", self.python]
        subprocess.run([*pip, "install", *arguments], check=True)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``myresource``."""
        command = [str(self.bin / "myresource"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(name="environment", scope="module")
def _environment(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment with the wheels, and what they need as locked."""
    built.need("wheels")
    made = Environment(tmp_path_factory.mktemp("empty") / "venv")
    made.install("--require-hashes", "--only-binary=:all:", f"--requirement={ROOT}/requirements/run.txt")
    made.install("--no-index", "--no-deps", *(str(wheel) for wheel in built.folder.glob("*.whl")))
    return made


@pytest.mark.usefixtures("elsewhere")
def test_the_wheel_serves_a_recorded_request(environment: Environment) -> None:
    body = (ROOT / "examples/requests/ready.json").read_bytes()

    with served(str(environment.bin / "myresource"), "serve") as hook:
        answer = httpx.post(f"{hook.url}/sync", content=body, headers={"Content-Type": "application/json"})

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()


@pytest.mark.usefixtures("elsewhere")
def test_nothing_of_this_checkout_is_used(environment: Environment) -> None:
    command = [environment.python, "-c", "import app, metahook; print(app.__file__, metahook.__file__)"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert all(Path(file).is_relative_to(environment.bin.parent) for file in found)


@pytest.mark.usefixtures("elsewhere")
def test_the_wheel_renders_with_the_extra_cli_and_names_it_without(environment: Environment, built: Built) -> None:
    arguments = ("render", "-f", str(ROOT / "examples/web.yaml"), "--now", "2026-01-31T12:00:00Z")
    without = environment.run(*arguments)
    locked = [line.removesuffix(" \\") for line in (ROOT / "requirements/dev.txt").read_text().splitlines()]
    constraints = environment.bin / "constraints.txt"
    constraints.write_text("\n".join(line for line in locked if "==" in line and not line.startswith((" ", "#"))))
    (wheel,) = built.folder.glob("myresource_operator-*.whl")
    environment.install(f"--constraint={constraints}", f"{wheel}[cli]")
    rendered = environment.run(*arguments)
    command = [sys.executable, "-m", "app", *arguments]
    ours = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert without.returncode == 2
    assert "[cli]" in without.stderr
    assert (rendered.returncode, rendered.stdout) == (0, ours.stdout)
