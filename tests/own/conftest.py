"""Fixtures: a cluster of the reader's own, and a namespace in it for each module, which is removed in the end."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from metahook.envtest.client import Refused
from metahook.envtest.process import Ended
from tests.e2e.namespace import Place
from tests.own.own_cluster import OwnCluster
from tests.own.shell import steps


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say which cluster, and what may run there."""
    parser.addoption("--context", default="", help="the context of kubectl's configuration that names the cluster")
    parser.addoption("--install", default="", help="install the operator first, with the image of this repository")
    parser.addoption("--disruptive", action="store_true", help="also replace the operator's Pods, and add Prometheus")
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
        if repository := pytestconfig.getoption("--install"):
            install(made, repository)
        yield made
    finally:
        made.stop()


def install(own: OwnCluster, repository: str) -> None:
    """Install Metacontroller, unless it is there, and the operator, by the commands of the page."""
    first, *others = steps("docs/clusters/install.md", "Install with Helm")
    crd = "compositecontrollers.metacontroller.k8s.io"
    if own.client.get("CustomResourceDefinition", "", crd) is None:
        own.shell.run(first)
    for command in others:
        given = command.replace("registry.example.com/myresource-operator", repository)
        own.shell.run(given.replace(",docsUrl=https://git.example.com/docs", ""))  # the page's is not the reader's


@contextmanager
def new_place(own: OwnCluster, labels: dict[str, str] | None = None) -> Iterator[Place]:
    """Create a namespace that is used by nothing else, for a with block."""
    name = f"myresource-test-{secrets.token_hex(4)}"
    own.watch(name)
    try:
        made = Place(own, name, labels)
        own.shell.run(f"kubectl config set-context --current --namespace={name}")
        yield made
        made.close()
    finally:
        with suppress(Refused):  # it is gone already
            own.client.delete("Namespace", "", name)


@pytest.fixture(scope="module")
def here(own: OwnCluster) -> Iterator[Place]:
    """Return a namespace that the tests of a module share."""
    with new_place(own) as made:
        yield made


@pytest.fixture(scope="session")
def disruptive(pytestconfig: pytest.Config) -> None:
    """Skip tests that disturb other users of the cluster, unless an option allows them."""
    if not pytestconfig.getoption("--disruptive"):
        pytest.skip("it disturbs other users of the operator: make own CONTEXT=NAME DISRUPTIVE=1 runs it")


@pytest.fixture(scope="session")
def patience(pytestconfig: pytest.Config) -> float:
    """Return how many seconds something may take: images may have to be pulled."""
    found: float = pytestconfig.getoption("--patience")
    return found


@pytest.fixture(scope="session")
def images(pytestconfig: pytest.Config) -> tuple[str, str]:
    """Return two images that may run there."""
    return pytestconfig.getoption("--image"), pytestconfig.getoption("--other-image")
