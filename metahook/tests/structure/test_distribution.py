"""The distribution: what it needs, and what a wheel of it can do."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from metahook import commands
from toolkit.root import ROOT
from toolkit.slow import only_whole, short_or_whole

EXAMPLES = ROOT / "examples"
HOOK_PAGES = [ROOT / "docs" / f"{name}.md" for name in ("write-your-own-hook", "hook-reference", "watch-or-poll")]
TOOLKIT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_SERVER = "metahook[server]"
"""How an extra includes the extra ``server``."""

_BLOCKS = re.DOTALL | re.MULTILINE

_EVERY = """
import importlib, pkgutil
for name in ("protocol", "kinds", "simulator"):
    package = importlib.import_module("metahook." + name)
    for module in pkgutil.walk_packages(getattr(package, "__path__", []), package.__name__ + "."):
        importlib.import_module(module.name)
"""
_OF_OTHERS = """
import sys
loaded = {name.partition(".")[0]: module for name, module in sys.modules.items()}
paths = {name: getattr(module, "__file__", None) or "" for name, module in loaded.items()}
ours = lambda name: name == "metahook" or name.startswith("_")  # which is there if a wheel of it is installed
print(*sorted(name for name, path in paths.items() if "site-packages" in path and not ours(name)))
"""


def loaded(code: str) -> set[str]:
    """Return the packages of others that *code* imports."""
    command = [sys.executable, "-I", "-c", code + _OF_OTHERS]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    "code", [pytest.param("from metahook import Controller", id="metahook"), pytest.param(_EVERY, id="every")]
)
def test_a_hook_needs_msgspec_alone_until_it_is_served(code: str) -> None:
    assert loaded(code) == loaded("import msgspec")


def test_each_name_for_another_command_line_can_be_imported() -> None:
    assert set(vars(commands)["__all__"]) <= set(dir(commands))
    assert [name for name in vars(commands)["__all__"] if not hasattr(commands, name)] == []


def test_a_type_checker_sees_the_names_for_another_command_line() -> None:
    tree = ast.parse(Path(commands.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.col_offset]
    seen = {each.name: (node.module or "").removeprefix("metahook.") for node in imports for each in node.names}

    assert seen == {name: module for module, names in vars(commands)["_NAMES"].items() for name in names}


def test_serving_needs_the_extra() -> None:
    assert {"fastapi", "starlette", "uvicorn", "uvloop"} <= loaded("from metahook.server import serve")


@pytest.mark.parametrize(
    ("package", "name", "missing", "extra"),
    [("metahook.server", "serve", "uvloop", "server"), ("metahook.commands", "bound_program", "click", "cli")],
)
def test_a_name_without_its_extra_says_how_to_install_it(package: str, name: str, missing: str, extra: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from {package} import {name}"
    ended = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith(
        f"{package} needs the extra {extra}: pip install './metahook[{extra}]'"
    )


@pytest.mark.parametrize("package", ["metahook.server", "metahook.commands"])
def test_a_name_that_a_package_has_not_is_an_error(package: str) -> None:
    with pytest.raises(ImportError, match="nothing"):
        exec(f"from {package} import nothing")  # noqa: S102 - mypy would refuse the statement


@pytest.mark.parametrize(
    ("program", "module", "missing"),
    [
        ("metahook", TOOLKIT["scripts"]["metahook"].partition(":")[0], "click"),
        ("metahook.record", "metahook.record.__main__", "click"),
        ("metahook.record", "metahook.record.__main__", "httpx"),
    ],
)
@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_a_program_without_its_extra_names_what_to_install(
    program: str, module: str, missing: str, arguments: list[str]
) -> None:
    code = f"import runpy, sys; sys.modules[{missing!r}] = None; runpy.run_module({module!r}, run_name='__main__')"
    ended = subprocess.run([sys.executable, "-I", "-c", code, *arguments], capture_output=True, text=True, check=False)

    remedy = "pip install './metahook[cli]', at the root of the repository"
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"{program}: needs {missing}; install it with: {remedy}\n"


def test_running_a_control_plane_needs_the_server_and_a_client() -> None:
    assert {"httpx", "yaml", "uvicorn"} <= loaded("from metahook.envtest import Cluster")


def test_the_extras_of_a_laptop_include_the_server_and_that_of_an_image_nothing_else() -> None:
    extras = TOOLKIT["optional-dependencies"]

    assert [name for name, needed in extras.items() if OF_SERVER in needed] == ["cli", "test"]
    assert not {"hypothesis", "rich", "pytest", "httpx"} & {re.split("[>=<]", each)[0] for each in extras["server"]}


@pytest.fixture(name="project", scope="module")
def _project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a project that has an ``app`` of its own, with the toolkit's wheel installed in ``lib``."""
    folder = tmp_path_factory.mktemp("project")
    # As pip builds and installs it, which would take ten times as long.
    build = f"from hatchling.build import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True)
    (built,) = folder.glob("metahook-*.whl")
    ZipFile(built).extractall(folder / "lib")
    (folder / "app").mkdir()
    (folder / "app/__init__.py").write_text("raise ImportError('of the project')\n")
    for name, code in zip(
        ("greetings", "claims", "finalizing", "hooks", "measured", "copying", "licenses", "careful_greetings"),
        re.findall(r"^```python\n(.*?)^```$", "".join(page.read_text() for page in HOOK_PAGES), _BLOCKS),
        strict=True,
    ):
        (folder / f"{name}.py").write_text(code)
    return folder


def in_project(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{project / 'lib'}", "MYPYPATH": f"{project / 'lib'}"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_the_wheel_runs_beside_an_app_of_the_project(project: Path) -> None:
    code = "import greetings, finalizing, licenses, metahook, metahook.simulator.world; print(metahook.__file__)"

    ended = in_project(project, "-c", code)

    assert (ended.stdout, ended.stderr) == (f"{project}/lib/metahook/__init__.py\n", "")
    assert "of the project" in in_project(project, "-c", "import app").stderr


@pytest.mark.slow
@only_whole
def test_the_wheel_has_types(project: Path) -> None:
    (project / "wrong.py").write_text("from metahook import Controller\n\nController(sync=5, children=())\n")

    files = [f"{name}.py" for name in ("greetings", "finalizing", "licenses", "careful_greetings", "wrong")]
    ended = in_project(project, "-m", "mypy", "--strict", *files)

    (error,) = [line for line in ended.stdout.splitlines() if ": error: " in line]
    assert error.startswith("wrong.py:3: ")
    assert 'incompatible type "int"' in error


def test_the_wheel_has_the_license(project: Path) -> None:
    (license_file,) = (project / "lib").glob("metahook-*.dist-info/licenses/LICENSE")

    assert license_file.read_text() == (ROOT / "LICENSE").read_text()


def test_pip_finds_what_an_extra_needs_in_the_wheel_itself(project: Path) -> None:
    (metadata,) = (project / "lib").glob("metahook-*.dist-info/METADATA")
    needed = re.findall(r"^Requires-Dist: (.*)$", metadata.read_text(), re.MULTILINE)

    assert "uvloop>=0.21; extra == 'cli'" in needed
    assert not [each for each in needed if each.startswith("metahook")]


def run_tests_of(project: Path, example: Path) -> subprocess.CompletedProcess[str]:
    """Run the tests of the folder *example* that need no cluster, in a copy of it beside the wheel."""
    copied = project / example.name
    shutil.copytree(example, copied, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": f"{project / 'lib'}"}
    some = short_or_whole(["-k", "once"], [])
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not e2e", "-p", "no:cacheprovider", *some]
    return subprocess.run(command, cwd=copied, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", short_or_whole(["greeting"], sorted(each.parent.name for each in EXAMPLES.glob("*/crd.yaml")))
)
def test_a_copy_of_an_example_is_tested_beside_the_wheel(project: Path, name: str) -> None:
    ended = run_tests_of(project, EXAMPLES / name)

    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout


@pytest.mark.slow
@only_whole
def test_the_tests_of_a_copy_notice_a_mistake(project: Path, tmp_path: Path) -> None:
    example = tmp_path / "mistaken"
    shutil.copytree(EXAMPLES / "greeting", example)
    code = (example / "greetings.py").read_text()
    (example / "greetings.py").write_text(code.replace('"Building" if drift else "Ready"', '"Ready"'))

    ended = run_tests_of(project, example)

    assert ended.returncode == 1
    assert "test_the_state_is_ready_once_the_config_map_has_the_text" in ended.stdout
