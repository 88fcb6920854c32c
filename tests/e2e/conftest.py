"""Fixtures: one control plane for the run, one Metacontroller for each mode, one namespace for each test."""

import itertools
import shutil
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from app.simulator.metacontroller.settings import MODES, Mode
from tests.e2e.binaries import Binaries, Missing, found
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.processes import Process

HERE = Path(__file__).parent
FIGURES = pytest.StashKey[list[str]]()
WHOLE = pytest.StashKey[bool]()
NUMBERS = itertools.count(1)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Mark the tests of this folder; run one mode after the other, and the verdicts about all of a mode at its end."""
    ours = [item for item in items if item.path.parent == HERE]
    for item in ours:
        item.add_marker(pytest.mark.e2e)
    yield
    every_file = {item.path for item in ours} == set(HERE.glob("test_*.py"))
    config.stash[WHOLE] = every_file and all(item in items for item in ours)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> tuple[int, int]:
    last = 1 if item.get_closest_marker("verdict") else 0
    callspec = getattr(item, "callspec", None)
    mode = callspec.params.get("metacontroller") if callspec else None
    return (MODES.index(mode), last) if mode in MODES else (len(MODES) * last, last)


@pytest.fixture(scope="session")
def binaries() -> Binaries:
    """Return the binaries; skip the tests without them."""
    try:
        return found()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def cluster(binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return the cluster of this run; it is stopped also when the run is."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    made = Cluster(binaries, tmp_path_factory.mktemp("cluster"))
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
