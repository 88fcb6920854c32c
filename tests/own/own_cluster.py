"""A cluster of the reader's own: reached by kubectl's proxy, so that however one logs in there, it works."""

import shutil
from pathlib import Path

from tests.e2e.binaries import ASSETS
from tests.e2e.client import Client
from tests.e2e.processes import Process, answers
from tests.e2e.record import KINDS, Record, Watch
from tests.serving import free_port


class OwnCluster:
    """What a namespace of the tests needs: a client, and a record of all that happens in it."""

    def __init__(self, context: str, folder: Path) -> None:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        kubectl = shutil.which("kubectl") or str(ASSETS / "kubectl")
        command = [kubectl, "proxy", f"--context={context}", f"--port={port}"]
        self._proxy = Process("kubectl", command, folder, lambda: answers(f"{url}/readyz"))
        self._watches: list[Watch] = []
        self.client = Client(url)
        self.record = Record()

    def start(self) -> None:
        """Start the proxy; raise Ended if it can't reach the cluster."""
        self._proxy.start()

    def watch(self, namespace: str) -> None:
        """Begin to record what happens in *namespace*."""
        self._watches = [Watch(kind, self.client, self.record, namespace) for kind in KINDS]
        for watch in self._watches:
            watch.start()

    def stop(self) -> None:
        """Stop the proxy, and with it the watches."""
        for watch in self._watches:
            watch.stopping.set()
        self._proxy.stop()
        for watch in self._watches:
            watch.join()
