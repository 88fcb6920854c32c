"""What is in the image: Python, the locked packages and the code, and no tool besides those of the C library."""

import re
import stat

import pytest

from app import __version__
from tests.documents import ROOT
from tests.image import layers
from tests.image.build import MIB, Built, bases
from tests.image.container import Image
from tests.image.layers import File

pytestmark = pytest.mark.tools

PROGRAMS = {
    *("python", "python3", "python3.13"),
    *(
        "getconf",
        "getent",
        "iconv",
        "iconvconfig",
        "ld.so",
        "ldconfig",
        "ldd",
        "locale",
        "localedef",
        "pldd",
        "tzselect",
    ),
    *("zdump", "zic"),
}
"""Besides Python, those of the C library. ldd and tzselect are scripts for a shell, which can't run."""

TOOLS = {"sh", "bash", "dash", "busybox", "pip", "pip3", "cc", "gcc", "ld", "make", "apt-get", "dpkg", "perl", "curl"}

CODE = ("/usr/lib/", "/venv/", "/srv/")

OCI = "org.opencontainers.image."

LARGEST = 48
"""MiB to pull; 40 were measured. Why a fifth more: a security update of a package is small, another package is not."""


def programs(files: list[File]) -> set[str]:
    return {file.path.name for file in files if file.is_program}


def test_the_image_has_no_shell_no_pip_no_compiler_and_no_other_tool(files: list[File]) -> None:
    found = programs(files)

    assert found <= PROGRAMS
    assert not found & TOOLS
    assert not [file.path for file in files if "pip" in file.path.parts or file.path.suffix == ".whl"]


def test_a_tool_in_an_image_is_noticed() -> None:
    found = programs(layers.files(bases()["BUILD_BASE"]))

    assert {"sh", "pip"} <= found & TOOLS
    assert not found <= PROGRAMS


def test_no_file_gives_its_user_more_permissions(files: list[File]) -> None:
    assert not [file.path for file in files if file.entry.mode & (stat.S_ISUID | stat.S_ISGID)]


def test_others_can_write_only_to_directories_for_temporary_files(files: list[File]) -> None:
    writable = [file for file in files if file.entry.mode & stat.S_IWOTH and not file.entry.issym()]

    assert {str(file.path) for file in writable} <= {"/tmp", "/var/tmp", "/var/lock"}  # noqa: S108 - as the base has them
    assert all(file.entry.isdir() and file.entry.mode & stat.S_ISVTX for file in writable)


def test_every_source_has_bytecode_so_that_a_start_compiles_nothing(files: list[File]) -> None:
    paths = {str(file.path) for file in files}
    sources = [file.path for file in files if file.path.suffix == ".py" and str(file.path).startswith(CODE)]
    bytecode = [str(source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc") for source in sources]

    assert {path.parts[1] for path in sources} == {"usr", "venv", "srv"}
    assert not [path for path in bytecode if path not in paths]


def test_the_packages_are_those_of_the_lock_file(files: list[File]) -> None:
    found = {file.path.stem for file in files if file.path.suffix == ".dist-info"}
    locked = re.findall(r"^([\w-]+)==(\S+)", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)

    assert {"fastapi", "uvicorn"} <= {name.partition("-")[0] for name in found}
    assert found <= {f"{name.replace('-', '_')}-{version}" for name, version in locked}


def test_the_labels_say_what_the_image_is(image: Image) -> None:
    given = image.config["config"]["Labels"].items()
    labels = {key.removeprefix(OCI): value for key, value in given if key.startswith(OCI)}

    assert labels["title"] == "myresource-operator"
    assert labels["version"] == __version__
    assert labels["licenses"] == "Apache-2.0"
    assert set(labels) == {"title", "description", "version", "revision", "licenses"}


def test_the_image_is_as_large_as_the_page_says(built: Built) -> None:
    (said,) = re.findall(r"about (\d+) MiB to pull", (ROOT / "docs/install.md").read_text())

    assert built.size < LARGEST * MIB
    assert int(said) == pytest.approx(built.size / MIB, abs=2)
