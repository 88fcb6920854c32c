"""A cluster of the reader's own: reached by kubectl's proxy, so that however one logs in there, it works."""

import shutil
from functools import cached_property
from pathlib import Path

import httpx

from metahook.envtest.binaries import assets
from metahook.envtest.client import Client
from metahook.envtest.process import Process
from tests.e2e.record import KINDS, Record, Watch
from tests.own.shell import Shell


class OwnCluster:
    """What a namespace of the tests needs: a client, a shell, and a record of all that happens in it.

    The proxy waits at a socket in *folder*, which only the reader may open.
    """

    def __init__(self, context: str, folder: Path) -> None:
        self._socket = folder / "proxy"
        kubectl = shutil.which("kubectl") or str(assets() / "kubectl")
        command = [kubectl, "proxy", f"--context={context}", f"--unix-socket={self._socket}"]
        self._proxy = Process("kubectl", command, folder, self._serves)
        self._watches: list[Watch] = []
        self._context, self._folder = context, folder
        transport = httpx.HTTPTransport(uds=str(self._socket))
        timeout = httpx.Timeout(30, read=60)
        self.client = Client(
            httpx.Client(base_url="http://localhost", transport=transport, timeout=timeout, trust_env=False)
        )
        self.record = Record()

    def start(self) -> None:
        """Start the proxy; raise Ended if it can't reach the cluster."""
        self._proxy.start()

    @cached_property
    def shell(self) -> Shell:
        """A shell for commands of the pages."""
        return Shell(self._context, self._folder)

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
