"""Fixtures for the tests of a hook with pytest, which finds this plugin by itself. In ``pyproject.toml``::

    [tool.pytest.ini_options]
    metahook_hook = "hook:SITES"
    metahook_manifests = ["crd.yaml", "controller.yaml"]

Then a test takes ``world``, a cluster in memory in which the hook runs::

    def test_a_site_becomes_ready(world):
        world.apply(SITE)
        world.until_quiet()

        assert world.parent("www")["status"]["conditions"][0]["status"] == "True"

It runs once for each apply strategy of Metacontroller, and it fails for any finding, which is harm that the hook did.
For another hook, define a fixture of the same name. What the fixtures need is imported when a test takes one.

With files of parents in ``metahook_examples``, no test runs before ``metahook render`` accepts them: if the CRD, the
controller, the hook and the examples do not fit together, the first error says so, and each test would only follow it.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Generator
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from metahook.protocol.controller import Controller
    from metahook.protocol.objects import Manifest
    from metahook.simulator import Mode, World

_CONTROLLERS = ("CompositeController", "DecoratorController")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings."""
    parser.addini("metahook_hook", "the Controller that the fixtures run, as MODULE:NAME", default="")
    parser.addini("metahook_manifests", "YAML files with the controller and its CRDs", type="paths", default=[])
    parser.addini("metahook_examples", "YAML files with parents that the hook must render", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker of the tests on a real control plane."""
    config.addinivalue_line("markers", "e2e: runs on a real control plane, with metahook.envtest")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Raise UsageError if ``metahook render`` fails for the examples."""
    config = session.config
    if not config.getini("metahook_examples") or hasattr(config, "workerinput"):
        return
    options = {"-k": config.getini("metahook_manifests"), "-f": config.getini("metahook_examples")}
    named = [(option, os.path.relpath(file, config.rootpath)) for option, files in options.items() for file in files]
    hook = ("--hook", str(config.getini("metahook_hook")))
    command = [sys.executable, "-m", "metahook.cli", "render", *(word for pair in (*named, hook) for word in pair)]
    ended = subprocess.run(  # noqa: S603 - metahook, with files and a hook that the project names
        command, cwd=config.rootpath, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise pytest.UsageError(ended.stderr.strip().removeprefix("metahook: "))


@pytest.fixture(scope="session")
def hook(pytestconfig: pytest.Config) -> "Controller":
    """Return the Controller of the setting ``metahook_hook``."""
    from metahook.protocol.controller import Controller  # noqa: PLC0415 - see above

    source, _, name = str(pytestconfig.getini("metahook_hook")).partition(":")
    module = source.removesuffix(".py")  # as commands take it
    if not (module and name):
        _fail('set metahook_hook = "hook:SITES" in the configuration of pytest, or define a fixture called hook')
    root = str(pytestconfig.rootpath)
    if root not in sys.path:
        sys.path.insert(0, root)
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise  # one that the hook imports
        _fail(f"metahook_hook: no module {module} in {root}, or installed")
    if not isinstance(found, Controller):
        _fail(f"metahook_hook: {module} has no Controller called {name}")
    return found


@pytest.fixture(scope="session")
def manifests(pytestconfig: pytest.Config) -> "list[Manifest]":
    """Return the objects in the files of the setting ``metahook_manifests``: a controller and its CRDs."""
    import yaml  # noqa: PLC0415 - see above

    files: list[Path] = pytestconfig.getini("metahook_manifests")
    if missing := [str(file) for file in files if not file.is_file()]:
        _fail(f"metahook_manifests: no file {', '.join(missing)}")
    return [item for file in files for item in yaml.safe_load_all(file.read_text(encoding="utf-8")) if item]


@pytest.fixture(params=["dynamic-apply", "server-side-apply"])
def apply_strategy(request: pytest.FixtureRequest) -> "Mode":
    """Return the apply strategy of Metacontroller in ``world``: a test runs once with each."""
    strategy: Mode = request.param
    return strategy


@pytest.fixture
def world(hook: "Controller", manifests: "list[Manifest]", apply_strategy: "Mode") -> "World":
    """Return a cluster in memory with Metacontroller in it, and ``hook``, on a virtual clock."""
    from metahook.simulator import Settings, World  # noqa: PLC0415 - see above

    controllers = [item for item in manifests if item.get("kind") in _CONTROLLERS]
    if len(controllers) != 1:
        _fail(f"metahook_manifests: {len(controllers)} controllers; name the files of one, and of its CRDs")
    crds = [item for item in manifests if item.get("kind") == "CustomResourceDefinition"]
    return World(hook, Settings.read(controllers[0], crds, apply_strategy))


@pytest.fixture(scope="session")
def now() -> datetime:
    """Return a time for ``hook.decide(request, now)``: the one at which each ``world`` starts."""
    from metahook.simulator.clock import START  # noqa: PLC0415 - see above

    return START


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed if its world has findings."""
    result = yield
    used = getattr(item, "funcargs", {}).get("world")
    if used is not None and "metahook.simulator" in sys.modules:
        from metahook.simulator import World  # noqa: PLC0415 - see above
        from metahook.simulator.findings import findings  # noqa: PLC0415 - see above

        if isinstance(used, World) and (found := findings(used.history)):
            _fail("\n".join(["the hook did harm in the simulated cluster:", *map(str, found)]))
    return result


def _fail(message: str) -> NoReturn:
    pytest.fail(message, pytrace=False)
