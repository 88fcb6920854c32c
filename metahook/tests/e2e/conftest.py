"""What the tests about Metacontroller share: a control plane with Notes for each apply strategy, and a namespace."""

from collections.abc import Iterator

import pytest

from metahook.envtest import Cluster, missing_binaries
from metahook.simulator.metacontroller.settings import MODES, Mode
from toolkit.hooks.notes_on_a_cluster import Notes, serve_notes


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests here; skip them if binaries are missing."""
    for item in items:
        if "tests/e2e/" in item.nodeid:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries()))


@pytest.fixture(scope="session", params=MODES)
def mode(request: pytest.FixtureRequest) -> Mode:
    """Return the apply strategy of Metacontroller."""
    found: Mode = request.param
    return found


@pytest.fixture(scope="session")
def cluster(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster that serves Notes, for tests that leave nothing behind."""
    folder = tmp_path_factory.mktemp("notes")
    with Cluster(folder, apply_strategy=mode) as made:
        serve_notes(made, folder)
        yield made


@pytest.fixture
def notes(cluster: Cluster) -> Iterator[Notes]:
    """Return a namespace for Notes."""
    made = Notes(cluster)
    yield made
    made.close()
