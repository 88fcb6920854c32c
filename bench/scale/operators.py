"""The operators that do the same job: this one, and the peers of :mod:`bench.peers`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from bench.peers.operators import PEERS
from bench.scale.installation import Installation, Settings
from metahook.envtest.binaries import Binaries
from metahook.envtest.client import Client
from metahook.envtest.control_plane import ControlPlane
from metahook.envtest.process import Process
from tests.e2e.installed import ROOT

BUILT = ROOT / "build/peers"
PEER = "system:serviceaccount:peers:peer"
"""The user of each peer. As that of Metacontroller, it is no administrator, whose requests the API server prefers."""

AS_DOCUMENTED = Settings(mode="dynamic-apply", workers=5, qps=500)
"""The settings of docs/clusters/scale.md."""
_OTHER_FLAGS = ("--discovery-interval=20s", "--cache-flush-interval=30m", "--zap-log-level=4")
"""Those that page has, too, instead of those of tests."""


class Operator(Protocol):
    """One that is installed, restarted and removed as a whole."""

    name: str

    @property
    def processes(self) -> Sequence[Process]:
        """Return all of its processes."""

    def install(self, client: Client) -> None:
        """Install and start it."""

    def start(self) -> None:
        """Start it again."""

    def stop(self) -> None:
        """Stop it."""

    def remove(self) -> None:
        """Stop it, and remove what was installed."""


class Ours:
    """This operator: the hook behind Metacontroller."""

    def __init__(self, name: str, installation: Installation) -> None:
        self.name = name
        self._installation = installation
        for process in installation.metacontrollers:
            process.command += _OTHER_FLAGS

    @property
    def processes(self) -> Sequence[Process]:
        """Return Metacontroller and the hook."""
        return self._installation.processes

    def install(self, client: Client) -> None:
        """Install it, and start both."""
        self._client = client
        self._installation.install(client)
        self._installation.start()

    def start(self) -> None:
        """Start both again."""
        self._installation.hook.start()
        self._installation.start()

    def stop(self) -> None:
        """Stop both."""
        self._installation.stop()
        self._installation.hook.stop()

    def remove(self) -> None:
        """Stop both, and delete the CompositeController."""
        self.stop()
        for item in self._client.all("CompositeController"):
            self._client.delete("CompositeController", "", item["metadata"]["name"])


class Peer:
    """A peer, which is one process."""

    def __init__(self, name: str, command: list[str], folder: Path) -> None:
        self.name = name
        self._process = Process(name, command, folder, lambda: True, cwd=ROOT)

    @property
    def processes(self) -> Sequence[Process]:
        """Return the process."""
        return (self._process,)

    def install(self, client: Client) -> None:
        """Let it do everything, and start it."""
        metadata = {"name": "peers"}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
        user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": PEER}
        binding = {"kind": "ClusterRoleBinding", "metadata": metadata, "roleRef": role, "subjects": [user]}
        client.apply({"apiVersion": "rbac.authorization.k8s.io/v1", **binding})
        self._client = client
        self.start()

    def start(self) -> None:
        """Start it."""
        self._process.start()

    def stop(self) -> None:
        """Stop it."""
        self._process.stop()

    def remove(self) -> None:
        """Stop it, and take away what it may do."""
        self.stop()
        self._client.delete("ClusterRoleBinding", "", "peers")


def prepare() -> None:
    """Install and build the peers, unless that is done; raise Missing or CannotPrepare."""
    BUILT.mkdir(parents=True, exist_ok=True)
    for peer in PEERS:
        peer.prepare(BUILT)


def operators(binaries: Binaries, folder: Path, control_plane: ControlPlane) -> Iterator[Operator]:
    """Yield the operators, each with its files in a folder in *folder*."""
    for name, options in (("this operator", ()), ("this operator, `watch.pods=false`", ("--no-watch-pods",))):
        settings = replace(AS_DOCUMENTED, options=options)
        yield Ours(name, Installation(binaries, _made(folder, name), control_plane, 1, settings))
    for peer in PEERS:
        command = peer.command(control_plane.kubeconfig(PEER), BUILT)
        yield Peer(peer.name, command, _made(folder, peer.name))


def _made(folder: Path, name: str) -> Path:
    made = folder / "".join(filter(str.isalnum, name))
    made.mkdir()
    return made
