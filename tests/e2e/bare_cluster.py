"""A cluster with Metacontroller and without the operator, which Helm's own engine installs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from metahook.envtest.binaries import find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster
from tests.e2e.installed import ROOT
from tests.e2e.proxy import Proxy
from tests.e2e.shell import Shell


@dataclass(frozen=True)
class BareCluster:
    """The cluster. Metacontroller calls the hook through *proxy*, as there is no DNS."""

    cluster: Cluster
    proxy: Proxy
    metacontroller: Process

    def shell(self, root: Path = ROOT) -> Shell:
        """Return a shell in the directory *root*."""
        return Shell(self.cluster.control_plane.kubeconfig("admin"), root)


@contextmanager
def running(mode: Mode, folder: Path) -> Iterator[BareCluster]:
    """Return a new cluster with its files in *folder*, and stop it when the block ends."""
    cluster = Cluster(find_binaries(), folder)
    with Proxy(cluster.url) as proxy:
        metacontroller = cluster.metacontroller(mode, proxy.url)
        try:
            cluster.start(installed=False)
            metacontroller.start()
            yield BareCluster(cluster, proxy, metacontroller)
        finally:
            metacontroller.stop()
            cluster.stop()
