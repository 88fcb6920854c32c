"""Fixtures: one control plane for the run, one Metacontroller for each mode, one namespace for each test."""

import itertools
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from app.simulator.metacontroller.settings import MODES, Mode
from tests.e2e.binaries import Missing, found
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.processes import Process

HERE = Path(__file__).parent
FIGURES = pytest.StashKey[list[str]]()
WHOLE = pytest.StashKey[bool]()
NUMBERS = itertools.count(1)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Mark the tests that need a cluster; run one mode after the other, and the verdicts on a mode at its end."""
    here = [item for item in items if item.path.parent == HERE]
    ours = [item for item in here if "cluster" in getattr(item, "fixturenames", ())]
    for item in ours:
        item.add_marker(pytest.mark.e2e)
    yield
    _skip_without_binaries(config, [item for item in ours if item in items])
    every_file = {item.path for item in here} == set(HERE.glob("test_*.py"))
    config.stash[WHOLE] = every_file and all(item in items for item in ours)
    items.sort(key=_turn)


def _skip_without_binaries(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip *items* where the binaries are missing, and say once which, and how to get them."""
    try:
        if items:
            found()
    except Missing as missing:
        config.stash.setdefault(FIGURES, []).append(str(missing))
        for item in items:
            item.add_marker(pytest.mark.skip(reason="binaries are missing, see above"))


def _turn(item: pytest.Item) -> tuple[int, int]:
    last = 1 if item.get_closest_marker("verdict") else 0
    callspec = getattr(item, "callspec", None)
    mode = callspec.params.get("metacontroller") if callspec else None
    return (MODES.index(mode), last) if mode in MODES else (len(MODES) * last, last)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return the cluster of this run; it is stopped also when the run is."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    made = Cluster(found(), tmp_path_factory.mktemp("cluster"))
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session", params=MODES)
def metacontroller(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Process]:
    """Return Metacontroller, which runs, in each mode."""
    process = cluster.metacontroller(request.param)
    try:
        process.start()
        yield process
    finally:
        process.stop()


@pytest.fixture
def mode(request: pytest.FixtureRequest, metacontroller: Process) -> Mode:  # noqa: ARG001 - it runs
    """Return the mode that Metacontroller runs in."""
    found: Mode = request.node.callspec.params["metacontroller"]
    return found


@pytest.fixture
def here(
    cluster: Cluster,
    metacontroller: Process,  # noqa: ARG001 - it runs
    request: pytest.FixtureRequest,
) -> Iterator[Namespace]:
    """Return a namespace of the test's own."""
    labels = request.node.get_closest_marker("labels")
    made = Namespace(cluster, f"t{next(NUMBERS)}", labels.args[0] if labels else None)
    yield made
    made.close()


@pytest.fixture
def elsewhere(cluster: Cluster, metacontroller: Process) -> Iterator[Namespace]:  # noqa: ARG001 - it runs
    """Return another namespace."""
    made = Namespace(cluster, f"t{next(NUMBERS)}")
    yield made
    made.close()


@pytest.fixture
def figures(pytestconfig: pytest.Config) -> list[str]:
    """Return the lines that are printed at the end."""
    return pytestconfig.stash.setdefault(FIGURES, [])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the logs of all processes for a test that failed."""
    report = yield
    cluster = getattr(item, "funcargs", {}).get("cluster")
    if report.failed and isinstance(cluster, Cluster):
        kept = item.config.cache.mkdir("e2e") / item.name.replace("/", "_")
        kept.mkdir(exist_ok=True)
        for file in cluster.folder.glob("*.log"):
            shutil.copy(file, kept)
        report.sections.append(("logs", f"kept in {kept}"))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figures of the run."""
    for line in config.stash.get(FIGURES, []):
        terminalreporter.write_line(line)
