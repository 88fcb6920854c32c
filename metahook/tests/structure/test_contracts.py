"""The structure of the toolkit: the rules that lint-imports enforces, each with a violation that it finds."""

import shutil
from pathlib import Path

import pytest

from toolkit.modules import contracts_hold, long_modules
from toolkit.root import ROOT
from toolkit.slow import short_or_whole


@pytest.fixture(name="half")
def _half(tmp_path: Path) -> Path:
    """Return a copy of the code that a test may damage."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold(half: Path) -> None:
    assert contracts_hold(half, half / "src")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "line"),
    [
        pytest.param("src/metahook/protocol/response.py", "import pydantic", id="the protocol needs more than msgspec"),
        pytest.param("src/metahook/simulator/world.py", "import rich", id="the simulator needs more than msgspec"),
        pytest.param("src/metahook/protocol/response.py", "import metahook.kinds", id="the protocol knows a kind"),
        pytest.param("src/metahook/kinds.py", "import metahook.server.app", id="a kind knows of HTTP"),
        pytest.param("src/metahook/server/app.py", "import metahook.simulator.world", id="the service simulates"),
        pytest.param("src/metahook/server/app.py", "import metahook.envtest.cluster", id="the service knows the tests"),
        pytest.param("src/metahook/server/calls.py", "import metahook.server.app", id="a call knows the app"),
        pytest.param(
            "src/metahook/server/app.py", "import metahook.cli.dev_log", id="the app imports development mode"
        ),
        pytest.param(
            "src/metahook/simulator/apiserver/store.py",
            "import metahook.simulator.metacontroller.loop",
            id="the API server knows Metacontroller",
        ),
        pytest.param(
            "src/metahook/simulator/world.py", "import metahook.simulator.scenarios", id="a world knows scenarios"
        ),
        pytest.param(
            "src/metahook/simulator/metacontroller/children.py",
            "import metahook.simulator.metacontroller.loop",
            id="children know the loop",
        ),
        pytest.param(
            "src/metahook/simulator/controllers/kubelet.py",
            "import metahook.simulator.controllers.deployments",
            id="the kubelet knows the autoscaler",
        ),
    ][:: short_or_whole(6, 1)],
)
def test_an_import_that_points_the_wrong_way_breaks_a_contract(half: Path, module: str, line: str) -> None:
    file = half / module
    file.write_text(f"{file.read_text()}\n{line}\n")

    assert not contracts_hold(half, half / "src")


def test_every_module_can_be_read_from_top_to_bottom() -> None:
    assert long_modules(ROOT / "src") == []


def test_a_module_of_more_than_600_lines_is_found(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text("x = 1\n" * 600)
    (tmp_path / "long.py").write_text("x = 1\n" * 601)

    assert long_modules(tmp_path) == [tmp_path / "long.py"]
