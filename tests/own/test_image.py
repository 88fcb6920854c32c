"""What SECURITY.md promises of the image, as the container of the hook sees it."""

import json
import re
import subprocess
from typing import Any

import pytest

from tests.docs.documents import ROOT
from tests.own.conftest import OwnCluster

pytestmark = pytest.mark.own

Json = dict[str, Any]

PROGRAMS = {
    *("python", "python3", "python3.13"),
    *("getconf", "getent", "iconv", "iconvconfig", "ld.so", "ldconfig", "ldd", "locale", "localedef", "pldd"),
    *("tzselect", "zdump", "zic"),
}
"""Besides Python, those of the C library. ldd and tzselect are scripts for a shell, which can't run."""

INSIDE = """
import json, stat
from pathlib import Path

folders = ("etc", "home", "srv", "tmp", "usr", "var", "venv")
files = {file: file.lstat().st_mode for folder in folders for file in Path("/", folder).rglob("*")}
runnable = {file: mode for file, mode in files.items() if file.parent.name in ("bin", "sbin") and mode & 0o111}
found = {
    "files": [str(file) for file in files],
    "programs": [
        file.name
        for file, mode in runnable.items()
        if stat.S_ISLNK(mode) or file.read_bytes().startswith((b"\\x7fELF", b"#!"))
    ],
    "privileged": [str(file) for file, mode in files.items() if mode & (stat.S_ISUID | stat.S_ISGID)],
    "status": Path("/proc/1/status").read_text(),
}
print(json.dumps(found))
"""


@pytest.fixture(name="found", scope="module")
def _found(own: OwnCluster) -> Json:
    """Return what is in the container, and its first process."""
    command = [*own.kubectl, "exec", "--namespace=myresource-operator", "deployment/myresource-operator", "--"]
    looked = subprocess.run([*command, "/venv/bin/python", "-Ic", INSIDE], capture_output=True, text=True, check=False)
    assert looked.returncode == 0, looked.stderr
    found: Json = json.loads(looked.stdout)
    return found


def test_process_1_is_of_user_65532_without_capabilities(found: Json) -> None:
    fields = dict(re.findall(r"^(\w+):\t(.*)$", found["status"], re.MULTILINE))

    assert fields["Uid"].split() == fields["Gid"].split() == ["65532"] * 4
    assert (fields["CapEff"], fields["CapBnd"], fields["NoNewPrivs"]) == ("0" * 16, "0" * 16, "1")


def test_the_image_has_no_shell_no_pip_no_compiler_no_other_tool_and_no_file_that_gives_permissions(
    found: Json,
) -> None:
    assert set(found["programs"]) <= PROGRAMS
    assert [file for file in found["files"] if "/pip/" in file or file.endswith(".whl")] == []
    assert found["privileged"] == []


def test_the_packages_are_those_of_the_lock_file(found: Json) -> None:
    packages = set(re.findall(r"/([^/]+)\.dist-info/", "\n".join(found["files"])))
    locked = re.findall(r"^([\w-]+)==(\S+)", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)

    assert {"fastapi", "uvicorn"} <= {name.partition("-")[0] for name in packages}
    assert packages <= {f"{name.replace('-', '_')}-{version}" for name, version in locked}
