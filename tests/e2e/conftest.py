"""Fixtures: one Metacontroller for each mode, one namespace for each test, one control plane for each process.

With ``pytest -n`` each mode runs in a separate process, so that one runs while the other waits. The
files take turns with the modes; a test marked with ``each_mode`` runs in both, as all do with ``--all``.
"""

import itertools
import shutil
import signal
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from metahook.envtest.binaries import Missing, find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import MODES, Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.namespace import Namespace
from tests.e2e.real_kubectl import RealKubectl

HERE = Path(__file__).parent
FILES = sorted(file.name for file in HERE.glob("test_*.py"))
MISSING = pytest.StashKey[str]()
WHOLE = pytest.StashKey[bool]()
NUMBERS = itertools.count(1)


FIRST, NEXT, LAST = range(3)

APART = {
    "test_faults.py": FIRST,
    "test_chart.py": NEXT,
    "test_upgrade.py": NEXT,
    "test_apply_strategy.py": NEXT,
    "test_shards.py": NEXT,
    "test_expose.py": NEXT,
    "test_costs.py": LAST,
    "test_large.py": LAST,
    "test_rolls.py": LAST,
    "test_stale_requests.py": LAST,
    "test_walk.py": LAST,
    "test_outage.py": LAST,
    "test_laptop.py": LAST,
}
"""Files whose tests run apart from those that a verdict judges, with their order: the longest run first."""


TOGETHER = {"test_shards.py", "test_expose.py"}
"""Files of APART whose tests in both modes run in one process, on one control plane."""


class Turns(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """With ``pytest -n``, one process for each mode, each mode of each file in APART, each file in TOGETHER, and each
    file of examples.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("examples/"):
            return nodeid.partition("::")[0]
        name = nodeid.partition("::")[0].rpartition("/")[2]
        file = name if name in APART else ""
        return file if file in TOGETHER else file + next((mode for mode in MODES if mode in nodeid), MODES[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Turns:
    """Return the scheduler, which assigns tests to processes in the order of the tests."""
    config.option.loadscopereorder = False  # by default, the files with the fewest tests run last
    return Turns(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Mark the tests that need a cluster. Order them by mode, with the verdicts of a mode last."""
    here = [item for item in items if item.path.parent == HERE]
    every_file = {item.path.name for item in here} == set(FILES)
    if not (whole := config.getoption("all")):
        _deselect(config, items, [item for item in here if not _is_its_turn(item)])
        here = [item for item in here if item in items]
    ours = [item for item in here if "cluster" in getattr(item, "fixturenames", ()) or item.path.name in APART]
    for item in ours:
        item.add_marker(pytest.mark.e2e)
    yield
    _skip_without_binaries(config, [item for item in ours if item in items])
    config.stash[WHOLE] = whole and every_file and all(item in items for item in ours)
    items[:] = [
        *sorted((item for item in items if item.path.parent == HERE), key=_turn),
        *(item for item in items if item.path.parent != HERE),
    ]


def _deselect(config: pytest.Config, items: list[pytest.Item], found: list[pytest.Item]) -> None:
    items[:] = [item for item in items if item not in found]
    config.hook.pytest_deselected(items=found)


def _is_its_turn(item: pytest.Item) -> bool:
    """Tell whether *item* runs in its mode: the files take turns, and some results depend on the mode."""
    mode = _mode(item)
    return (
        mode in (None, MODES[FILES.index(item.path.name) % len(MODES)])
        or item.get_closest_marker("each_mode") is not None
        or item.get_closest_marker("verdict") is not None
    )


def _skip_without_binaries(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip *items* if binaries are missing, and print once which ones and how to get them."""
    try:
        if items:
            find_binaries()
    except Missing as missing:
        config.stash[MISSING] = str(missing)
        for item in items:
            item.add_marker(pytest.mark.skip(reason="binaries are missing, see above"))


def _mode(item: pytest.Item) -> Mode | None:
    """Return the mode of *item*, or None if it does not depend on the mode."""
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("mode") if callspec else None


def _turn(item: pytest.Item) -> tuple[int, int, int]:
    """Return the sort key of *item*: its file, then its mode, verdicts last."""
    name = item.path.name
    file = APART.get(name, FIRST)
    last = 1 if item.get_closest_marker("verdict") else 0
    mode = _mode(item)
    return (file, MODES.index(mode), last) if mode else (file, len(MODES) * last, last)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return the cluster of this run, which is stopped even if the run is interrupted."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    made = Cluster(find_binaries(), tmp_path_factory.mktemp("cluster"))
    with started(made):
        yield made


@pytest.fixture(scope="session", params=MODES)
def mode(request: pytest.FixtureRequest) -> Mode:
    """Return the apply strategy of Metacontroller; tests run once for each."""
    found: Mode = request.param
    return found


@pytest.fixture(scope="session")
def since(mode: Mode) -> float:
    """Return when the tests of this mode began; some restart Metacontroller."""
    del mode
    return time.time()


@pytest.fixture(scope="session")
def metacontroller(cluster: Cluster, mode: Mode, since: float) -> Iterator[Process]:
    """Return the running Metacontroller."""
    del since
    process = cluster.metacontroller(mode)
    with started(process):
        yield process


@pytest.fixture
def here(
    cluster: Cluster,
    metacontroller: Process,  # noqa: ARG001 - it must run
) -> Iterator[Namespace]:
    """Return a namespace for this test only."""
    made = Namespace(cluster, f"t{next(NUMBERS)}")
    yield made
    made.close()


@pytest.fixture
def kubectl(cluster: Cluster) -> RealKubectl:
    """Return the kubectl of a Kubernetes release; skip if it is not installed."""
    return RealKubectl(cluster.control_plane.kubeconfig("admin"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the logs of all processes for a test that failed."""
    report = yield
    if report.failed and item.get_closest_marker("e2e"):
        kept = item.config.cache.mkdir("e2e") / item.name.replace("/", "_")
        kept.mkdir(exist_ok=True)
        for folder in Cluster.folders:
            for file in folder.glob("*.log"):
                shutil.copy(file, kept / f"{folder.name}-{file.name}")
        report.sections.append(("logs", f"kept in {kept}"))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the main process which binaries this worker process lacks."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["missing"] = session.config.stash.get(MISSING, "")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receive which binaries a worker process lacks; one that crashed sends nothing."""
    node.config.stash[MISSING] = getattr(node, "workeroutput", {"missing": ""})["missing"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the missing binaries."""
    if missing := config.stash.get(MISSING, ""):
        terminalreporter.write_line(missing)
