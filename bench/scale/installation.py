"""The installation that is measured: the hook, and a Metacontroller for each shard."""

import sys
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.scale.usage import samples, total
from bench.scale.work import Work
from metahook.envtest.binaries import Binaries
from metahook.envtest.client import Client
from metahook.envtest.cluster import documents, establish
from metahook.envtest.control_plane import ControlPlane, metacontroller
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.hook import THIS, Hook
from tests.e2e.installed import install
from tests.e2e.sharded import controllers, target

DEFAULT_RESYNC = 600
"""Seconds: that of metacontroller/compositecontroller.yaml."""


@dataclass(frozen=True)
class Settings:
    """How the hook and Metacontroller run; *workers* and *qps* are flags of Metacontroller.

    *options* are those of the hook. It answers *delay* milliseconds late. *crd* replaces the one of this checkout.
    """

    mode: Mode = "server-side-apply"
    workers: int = 5
    qps: int = 500
    options: tuple[str, ...] = ()
    delay: int = 0
    crd: Path | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """Return flags of Metacontroller, the last of which count if it has some of them twice."""
        return f"--workers={self.workers}", f"--client-go-qps={self.qps}", f"--client-go-burst={2 * self.qps}"


class Installation:
    """The hook and Metacontrollers of so many *shards*, with their files in *folder*."""

    def __init__(
        self, binaries: Binaries, folder: Path, control_plane: ControlPlane, shards: int, settings: Settings
    ) -> None:
        late = (sys.executable, "-m", "bench.scale.late", str(settings.delay))
        self.hook = Hook("hook", folder, *settings.options, version=late if settings.delay else THIS)
        account = control_plane.kubeconfig(METACONTROLLER)
        self.metacontrollers = [metacontroller(binaries, folder, account, settings.mode) for _ in range(shards)]
        for shard, process in enumerate(self.metacontrollers):
            process.name = f"metacontroller-{shard}"
            process.log = folder / f"{process.name}.log"
            process.command += [f"--target-label-selector={target(shard, shards)}", *settings.flags]
        self.shards = shards
        self._crd = settings.crd
        self._resync = DEFAULT_RESYNC
        self._upgrades = 0
        self._http = httpx.Client(trust_env=False)

    @property
    def processes(self) -> list[Process]:
        """Return all processes."""
        return [*self.metacontrollers, self.hook]

    def install(self, client: Client) -> None:
        """Start the hook, and install what the Metacontrollers need to call it."""
        self._client = client
        self.hook.start()
        install(client, self.hook.url, secrets=False)
        if self._crd:
            establish(client, documents(self._crd))
        self._apply()

    def start(self) -> None:
        """Start the Metacontrollers."""
        for process in self.metacontrollers:
            process.start()

    def stop(self) -> None:
        """Stop the Metacontrollers."""
        for process in self.metacontrollers:
            process.stop()

    def change_revision(self) -> None:
        """Change the revision in the URLs of the hook, as an upgrade with Helm does."""
        self._upgrades += 1
        self._apply()

    def set_resync(self, seconds: int) -> int:
        """Change the period after which all MyResources are synced; return the number of syncs before.

        This restarts the controllers in Metacontroller, which then sync all of them.
        """
        before = self.work().syncs
        self._resync = seconds
        self._apply()
        return before

    def _apply(self) -> None:
        for item in controllers(self.hook.url, self.shards):
            item["spec"]["resyncPeriodSeconds"] = self._resync
            for hook in item["spec"]["hooks"].values():
                hook["webhook"]["url"] += f".{self._upgrades}" if self._upgrades else ""
            self._client.apply(item)

    def work(self) -> Work:
        """Return the work of all Metacontrollers that run, from their metrics."""
        return sum(map(self._work, self.metacontrollers), Work())

    def _work(self, process: Process) -> Work:
        (address,) = (word.partition("=")[2] for word in process.command if word.startswith("--metrics-address="))
        try:
            text = self._http.get(f"http://{address}/metrics").text
        except httpx.TransportError:
            return Work()
        queues = samples(text, "workqueue_depth")
        return Work(
            int(total(text, "metacontroller_sync_requests_total")),
            int(total(text, "metacontroller_customize_requests_total")),
            int(sum(each.value for each in queues if each.labels["name"].startswith("CompositeController-"))),
        )
