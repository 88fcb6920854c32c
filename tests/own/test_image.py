"""The image, as the container of the hook sees it: its user, its files, and the commands that work in it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app import __version__
from tests.docs.documents import ROOT
from tests.own.own_cluster import OwnCluster

pytestmark = pytest.mark.own

Json = dict[str, Any]

PROGRAMS = {
    *("python", "python3", "python3.13"),
    *("getconf", "getent", "iconv", "iconvconfig", "ld.so", "ldconfig", "ldd", "locale", "localedef", "pldd"),
    *("tzselect", "zdump", "zic"),
}
"""Besides Python, those of the C library. ldd and tzselect are scripts for a shell, which can't run."""

INSIDE = Path(__file__).with_name("inside.py").read_text()


@pytest.fixture(name="found", scope="module")
def _found(own: OwnCluster) -> Json:
    """Return what is in the container, and its first process."""
    looked = own.shell.in_hook("-Ic", INSIDE)
    assert looked.returncode == 0, looked.stderr
    found: Json = json.loads(looked.stdout)
    return found


def test_process_1_is_the_hook_of_user_65532_without_capabilities(found: Json) -> None:
    fields = dict(re.findall(r"^(\w+):\t(.*)$", found["status"], re.MULTILINE))

    assert fields["Uid"].split() == fields["Gid"].split() == ["65532"] * 4
    assert (fields["CapEff"], fields["CapBnd"], fields["NoNewPrivs"]) == ("0" * 16, "0" * 16, "1")
    assert found["command"][1:5] == ["-IB", "-m", "app", "serve"]


def test_the_image_has_no_shell_no_pip_no_compiler_no_other_tool_and_no_file_that_gives_permissions(
    found: Json,
) -> None:
    assert set(found["programs"]) <= PROGRAMS
    assert [file for file in found["files"] if "/pip/" in file or file.endswith(".whl")] == []
    assert found["privileged"] == []


def test_every_source_has_bytecode_so_that_a_start_compiles_nothing(found: Json) -> None:
    sources = [file for file in found["files"] if re.match(r"/(usr/lib|venv|srv)/.*\.py$", file)]
    compiled = [re.sub(r"([^/]+)\.py$", r"__pycache__/\1.cpython-313.pyc", file) for file in sources]

    assert len(sources) > 500
    assert set(compiled) - set(found["files"]) == set()


def test_the_packages_are_those_of_the_lock_file(found: Json) -> None:
    packages = set(re.findall(r"/([^/]+)\.dist-info/", "\n".join(found["files"])))
    locked = re.findall(r"^([\w-]+)==(\S+)", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)

    assert {"fastapi", "uvicorn"} <= {name.partition("-")[0] for name in packages}
    assert packages <= {f"{name.replace('-', '_')}-{version}" for name, version in locked}


@pytest.mark.parametrize("path", ["/srv/x", "/tmp/x", "/venv/x"])  # noqa: S108 - no file is written there
def test_nothing_can_be_written(own: OwnCluster, path: str) -> None:
    assert "Read-only file system" in own.shell.in_hook("-Ic", f"open({path!r}, 'w')").stderr


@pytest.mark.parametrize(
    ("arguments", "file", "printed"),
    [
        (["--version"], None, __version__),
        (["explain", "NotApplied"], None, "NotApplied: Ready is False"),
        (["replay", "-"], "examples/requests/ready.json", "1 request: 1 the same, 0 differ"),
        (["crd"], None, "crd needs yaml; install it with: pip install"),
        (["simulate"], None, "simulate needs rich; install it with: pip install"),
    ],
    ids=str,
)
def test_a_command_works_or_names_the_package_that_it_needs(
    own: OwnCluster, arguments: list[str], file: str | None, printed: str
) -> None:
    given = (ROOT / file).read_text() if file else ""

    done = own.shell.in_hook("-IB", "-m", "app", *arguments, given=given)

    assert printed in done.stdout + done.stderr
