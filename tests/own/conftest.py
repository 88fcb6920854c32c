"""Fixtures: a cluster of the reader's own, and a namespace in it for each module, which is removed in the end.

The cluster is reached by kubectl's proxy, so that however one logs in there, it works.
"""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from metahook.envtest.binaries import assets
from metahook.envtest.client import Client, Refused
from metahook.envtest.process import Ended, Process
from tests.e2e.namespace import Place
from tests.e2e.record import KINDS, Record, Watch


class OwnCluster:
    """What a namespace of the tests needs: a client, and a record of all that happens in it.

    The proxy waits at a socket in *folder*, which only the reader may open.
    """

    def __init__(self, context: str, folder: Path) -> None:
        self._socket = folder / "proxy"
        kubectl = shutil.which("kubectl") or str(assets() / "kubectl")
        command = [kubectl, "proxy", f"--context={context}", f"--unix-socket={self._socket}"]
        self._proxy = Process("kubectl", command, folder, self._serves)
        self._watches: list[Watch] = []
        transport = httpx.HTTPTransport(uds=str(self._socket))
        timeout = httpx.Timeout(30, read=60)
        self.client = Client(
            httpx.Client(base_url="http://localhost", transport=transport, timeout=timeout, trust_env=False)
        )
        self.record = Record()

    def start(self) -> None:
        """Start the proxy; raise Ended if it can't reach the cluster."""
        self._proxy.start()

    def _serves(self) -> bool:
        return self._socket.exists() and self.client.http.get("/readyz").is_success

    def watch(self, namespace: str) -> None:
        """Begin to record what happens in *namespace*."""
        started = [Watch(kind, self.client, self.record, namespace) for kind in KINDS]
        self._watches += started
        for watch in started:
            watch.start()

    def stop(self) -> None:
        """Stop the proxy, and with it the watches."""
        for watch in self._watches:
            watch.stopping.set()
        self._proxy.stop()
        for watch in self._watches:
            watch.join()


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
    yield made
    made.stop()


@pytest.fixture(scope="module")
def here(own: OwnCluster) -> Iterator[Place]:
    """Return a namespace that the tests of a module share, and nothing else uses."""
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
