"""Fixtures: a cluster of the reader's own, and one namespace in it, which is removed in the end."""

import secrets
from collections.abc import Iterator
from contextlib import suppress

import pytest

from metahook.envtest.client import Refused
from metahook.envtest.process import Ended
from tests.e2e.namespace import Place
from tests.own.own_cluster import OwnCluster


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say which cluster, and what may run there."""
    parser.addoption("--context", default="", help="the context of kubectl's configuration that names the cluster")
    parser.addoption("--image", default="nginx:1.27", help="an image that listens on port 80 and may run as root")
    parser.addoption("--other-image", default="nginx:1.28", help="another one")
    parser.addoption("--patience", type=float, default=300, help="seconds until something counts as missing")


@pytest.fixture(scope="session")
def own(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnCluster]:
    """Return the cluster that the option names."""
    context = pytestconfig.getoption("--context")
    if not context:
        pytest.exit("name the cluster: make own CONTEXT=NAME, one of kubectl config get-contexts", 2)
    made = OwnCluster(context, tmp_path_factory.mktemp("own"))
    try:
        made.start()
    except Ended as ended:
        pytest.exit(str(ended), 2)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="session")
def here(own: OwnCluster) -> Iterator[Place]:
    """Return a namespace that is used by nothing else."""
    name = f"myresource-test-{secrets.token_hex(4)}"
    own.watch(name)
    try:
        made = Place(own, name)
        yield made
        made.close()
    finally:
        with suppress(Refused):  # it is gone already
            own.client.delete("Namespace", "", name)


@pytest.fixture(scope="session")
def patience(pytestconfig: pytest.Config) -> float:
    """Return how many seconds something may take: images may have to be pulled."""
    found: float = pytestconfig.getoption("--patience")
    return found


@pytest.fixture(scope="session")
def images(pytestconfig: pytest.Config) -> tuple[str, str]:
    """Return two images that may run there."""
    return pytestconfig.getoption("--image"), pytestconfig.getoption("--other-image")
