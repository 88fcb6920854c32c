"""The cluster of a run: a control plane with watches, an emulated kubelet, the hook, and Metacontroller."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar, Protocol

from metahook.envtest.binaries import Binaries
from metahook.envtest.cluster import documents, establish
from metahook.envtest.control_plane import metacontroller
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.audit import Audit
from tests.e2e.control_plane import METACONTROLLER, audited_control_plane
from tests.e2e.hook import Hook, Recorder
from tests.e2e.installed import install
from tests.e2e.kubelet import Kubelet
from tests.e2e.record import KINDS, Record, Watch


class Part(Protocol):
    """What can be started and stopped."""

    def start(self) -> None:
        """Start it."""

    def stop(self) -> None:
        """Stop it, started or not."""


@contextmanager
def started(*parts: Part) -> Iterator[None]:
    """Start *parts* in their order; stop them in the end, the last one first, also if one does not start."""
    with ExitStack() as stack:
        for part in parts:
            stack.callback(part.stop)
            part.start()
        yield


@contextmanager
def stopped(part: Part) -> Iterator[None]:
    """Stop *part* until the block ends."""
    part.stop()
    try:
        yield
    finally:
        part.start()


class Cluster:
    """A cluster with its files in *folder*.

    *secrets*: whether the operator watches Secrets; *records*: whether Metacontroller calls it through a recorder.
    """

    folders: ClassVar[list[Path]] = []
    """All clusters of this process, for the logs of a failed test."""

    def __init__(self, binaries: Binaries, folder: Path, *, secrets: bool = False, records: bool = True) -> None:
        self._binaries = binaries
        self._secrets = secrets
        self._records = records
        self.folder = folder
        self.folders.append(folder)
        self.record = Record()
        self.audit_log = folder / "audit.log"
        self.control_plane = audited_control_plane(binaries, folder, self.audit_log)
        self.asked = folder / "asked"
        self.audit = Audit(self.audit_log)
        self.hook = Hook("hook", folder, *(["--watch-secrets"] if secrets else []))
        self.recorder = Recorder(folder, self.hook.url, self.asked)
        self._watches: list[Watch] = []
        self._kubelet: Kubelet | None = None

    def start(self, *, installed: bool = True) -> None:
        """Start everything except Metacontroller. Install ``metacontroller/``, or only Metacontroller's CRDs."""
        self.control_plane.start()
        self.hook.start()
        if self._records:
            self.recorder.start()
        self.client = self.control_plane.client()
        establish(self.client, documents(self._binaries.crds))
        if installed:
            install(self.client, self.url, secrets=self._secrets)
        self.control_plane.controllers.start()
        self._watches = [Watch(kind, self.client, self.record) for kind in KINDS]
        self._kubelet = Kubelet(self.client, self.record)
        for thread in (*self._watches, self._kubelet):
            thread.start()

    def stop(self) -> None:
        """Stop everything. The watches end with the API server."""
        for watch in self._watches:
            watch.stopping.set()
        self.recorder.stop()
        self.hook.stop()
        if self._kubelet:
            self._kubelet.stop()
        self.control_plane.stop()
        for watch in self._watches:
            watch.join()

    @property
    def url(self) -> str:
        """The URL at which Metacontroller calls the hook."""
        return self.recorder.url if self._records else self.hook.url

    def metacontroller(self, mode: Mode, proxy: str = "") -> Process:
        """Return Metacontroller, not yet started, with the apply strategy *mode*; it calls the hook through *proxy*."""
        return metacontroller(self._binaries, self.folder, self.control_plane.kubeconfig(METACONTROLLER), mode, proxy)

    def exchanges(self, namespace: str = "*", name: str = "*") -> list[Json]:
        """Return the recorded requests and responses about a parent, or about all, in order."""
        files = sorted(self.asked.glob(f"[!.]*-{namespace}-{name}.json"))  # a hidden file is incomplete
        return [json.loads(file.read_text()) for file in files]

    @property
    def logs(self) -> dict[str, str]:
        """Return the log of each process."""
        return {file.name: file.read_text(errors="replace") for file in sorted(self.folder.glob("*.log"))}
