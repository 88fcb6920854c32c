"""The image without a build: its install steps, and a start as an unprivileged user in a read-only tree."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app import __version__
from tests.chart import dockerfile
from tests.chart.sets import objects, the
from tests.serving import Served, served

ROOT = Path(__file__).parents[2]
OTHER = 65532
AS_OTHER: dict[str, Any] = {"user": OTHER, "group": OTHER, "extra_groups": []} if os.getuid() == 0 else {}
"""Only root can switch the user; other users start it as themselves and can't write the tree either."""


def runs(python: str) -> bool:
    """Return whether the unprivileged user can run *python*, and its version is supported."""
    command = [python, "-I", "-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]
    try:
        return subprocess.run(command, check=False, capture_output=True, cwd="/", **AS_OTHER).returncode == 0
    except OSError:
        return False


@pytest.fixture(name="image", scope="module")
def _image() -> Iterator[Path]:
    """Return a directory with the contents of the image, not writable by any user."""
    candidates = [sys._base_executable, "/usr/local/bin/python3", "/usr/bin/python3"]  # type: ignore[attr-defined]  # noqa: SLF001 - typeshed leaves it out; the interpreter under this environment
    python = next((candidate for candidate in candidates if runs(candidate)), None)
    if python is None:
        pytest.skip("no Python 3.11 or later that another user can run")
    root = Path(tempfile.mkdtemp())  # not tmp_path, which only this user can read
    try:
        root.chmod(0o755)
        dockerfile.build(root, python, f"{sys.executable} -m pip")
        for path in [root, *root.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222 | 0o444)
        yield root
    finally:
        subprocess.run(["/bin/chmod", "-R", "u+w", str(root)], check=True)
        shutil.rmtree(root)


def content(root: Path) -> list[str]:
    return sorted(str(path) for path in root.rglob("*"))


def inside(root: Path, *command: str) -> list[str]:
    """Return *command* of the image with paths in *root*."""
    return [dockerfile.IN_IMAGE.sub(rf"{root}/\1", word) for word in command]


def started(root: Path) -> list[str]:
    """Return the start command of the image, as the unprivileged user, with its working directory and environment."""
    entry = inside(root, *dockerfile.the("ENTRYPOINT").form())
    given = {"env": {"PYTHONDONTWRITEBYTECODE": "1", "HOME": "/nonexistent", "PATH": ""}, **AS_OTHER}
    (folder,) = inside(root, dockerfile.the("WORKDIR").rest)
    starter = f"import subprocess, sys; p = subprocess.Popen(sys.argv[1:], cwd={folder!r}, **{given!r})\n"
    relay = (
        "import signal\n"
        "for each in (signal.SIGTERM, signal.SIGINT): signal.signal(each, lambda number, _: p.send_signal(number))\n"
        "sys.exit(p.wait())"
    )
    return [sys.executable, "-c", starter + relay, *entry, "serve", "--drain=0"]


def asked(hook: Served) -> httpx.Response:
    body = (ROOT / "examples/requests/ready.json").read_bytes()
    return httpx.post(f"{hook.url}/sync", content=body, headers={"Content-Type": "application/json"})


def test_the_image_serves_as_an_unprivileged_user_from_a_read_only_tree(image: Path) -> None:
    before = content(image)

    with served(*started(image)) as hook:
        answer = asked(hook)
        hook.process.terminate()
        code = hook.process.wait(timeout=15)

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()
    assert code == 0
    assert content(image) == before


def test_the_unprivileged_user_can_not_write_the_tree(image: Path) -> None:
    command = inside(image, "/venv/bin/python", "-I", "-c", "open('x', 'w')")
    ended = subprocess.run(command, cwd=image / "srv", capture_output=True, text=True, check=False, **AS_OTHER)

    assert "PermissionError" in ended.stderr


def test_the_image_contains_what_serving_needs_and_no_tools(image: Path) -> None:
    (packages,) = (image / "venv/lib").glob("python3*/site-packages")
    names = {path.name.partition("-")[0].lower() for path in packages.glob("*.dist-info")}
    locked = re.findall(r"^([\w-]+)==[^ ]+ (;.*)?", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)

    assert names <= {name.replace("-", "_").lower() for name, _ in locked}
    assert {"fastapi", "uvicorn", "msgspec", "pydantic"} <= names
    assert not (packages / "pip").exists()


def test_the_image_has_no_swagger_ui_and_the_page_says_so(image: Path) -> None:
    with served(*started(image), "--dev") as hook:
        page = httpx.get(f"{hook.url}/docs").text

    assert "pip install fastapi-swagger" in page
    assert "swagger-ui-bundle.js" not in page


def test_the_code_is_compiled_so_that_a_start_writes_nothing(image: Path) -> None:
    sources = list((image / "srv").rglob("*.py"))

    assert {source.relative_to(image / "srv").parts[0] for source in sources} == {"app", "metahook"}
    for source in sources:
        assert list((source.parent / "__pycache__").glob(f"{source.stem}.*.pyc"))


def test_helm_test_runs_in_the_image(image: Path) -> None:
    (pod,) = [item for item in objects() if item["kind"] == "Pod"]
    (container,) = pod["spec"]["containers"]
    with served() as hook:
        command = [*inside(image, *container["command"]), container["args"][0], hook.url]
        ended = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False, **AS_OTHER)

    assert ended.returncode == 0, ended.stderr


def test_no_file_of_the_image_is_writable_by_others(image: Path) -> None:
    assert not [path for path in image.rglob("*") if not path.is_symlink() and path.stat().st_mode & stat.S_IWOTH]


def test_the_base_image_is_pinned_and_the_same_in_both_stages() -> None:
    (base,) = [step for step in dockerfile.steps() if step.word == "ARG"]

    assert re.fullmatch(r"BASE=python:3\.1[1-9]\.\d+-slim-[a-z]+", base.rest)
    assert [stage[0].rest.split()[0] for stage in dockerfile.stages()] == ["${BASE}", "${BASE}"]


def test_every_package_is_installed_by_its_hash_from_a_wheel() -> None:
    installs = [step.rest for step in dockerfile.steps() if "install" in step.rest]

    assert len(installs) == 1
    assert "--require-hashes --only-binary :all:" in installs[0]


def test_the_chart_uses_the_user_and_the_ports_of_the_image() -> None:
    pod = the("Deployment")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    security = pod["securityContext"]

    assert dockerfile.the("USER").rest == f"{security['runAsUser']}:{security['runAsGroup']}"
    assert dockerfile.the("EXPOSE").rest.split() == [str(port["containerPort"]) for port in container["ports"]]
    assert dockerfile.the("CMD").form() == container["args"]


def test_the_commands_in_the_dockerfile_name_this_version() -> None:
    tags = re.findall(r"myresource-operator:(\S+)", (ROOT / "Dockerfile").read_text())

    assert set(tags) == {__version__}


def test_the_build_context_contains_only_copied_files() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {step.rest.split()[0] for step in dockerfile.stages()[0] if step.word == "COPY"}

    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == copied
