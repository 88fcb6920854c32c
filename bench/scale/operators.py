"""The operators that are measured: this one behind Metacontroller, and one in Go with controller-runtime."""

import copy
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx

from bench.scale.prometheus import total
from metahook.envtest.binaries import Binaries
from metahook.envtest.client import Client
from metahook.envtest.control_plane import ADMIN, ControlPlane
from metahook.envtest.free_port import free_port
from metahook.envtest.metacontroller import metacontroller
from metahook.envtest.process import Process, answers
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.hook import Hook
from tests.e2e.installed import controller, install

DEFAULT_RESYNC = 600
"""Seconds: that of metacontroller/compositecontroller.yaml."""

_GO_OPERATOR = Path(__file__).parent.parent / "peers" / "go-operator"


class MissingGo(Exception):
    """Raised if the operator in Go can't be built. The message says why."""


@dataclass(frozen=True)
class Work:
    """What an operator has done since it started, and what is in its queue."""

    syncs: int = 0
    customizes: int = 0
    depth: int = 0


class Operator(Protocol):
    """An operator that is not yet installed."""

    name: str

    @property
    def processes(self) -> Sequence[Process]:
        """Return its processes: first the one that has the queue."""

    def install(self, client: Client) -> None:
        """Install it in the cluster, without the process that has the queue."""

    def set_resync(self, seconds: int) -> int:
        """Change the period after which all MyResources are synced; return the number of syncs before.

        This restarts the controller, which then syncs all of them.
        """

    def work(self) -> Work:
        """Return its work so far, nothing while it is stopped."""


@dataclass
class BehindMetacontroller:
    """This operator: its hook with *options*, and Metacontroller."""

    binaries: Binaries
    folder: Path
    control_plane: ControlPlane
    apply_strategy: str
    options: tuple[str, ...] = ()
    name: str = "Metacontroller and the hook"
    _resync: int = DEFAULT_RESYNC
    _upgrades: int = 0
    _metrics: httpx.Client = field(default_factory=lambda: httpx.Client(trust_env=False))

    def __post_init__(self) -> None:
        """Create the processes."""
        account = self.control_plane.kubeconfig(METACONTROLLER)
        self.metacontroller = metacontroller(self.binaries, self.folder, account, self.apply_strategy)
        self.hook = Hook("hook", self.folder, *self.options)
        (address,) = (word for word in self.metacontroller.command if word.startswith("--metrics-address="))
        self._address = f"http://{address.partition('=')[2]}/metrics"

    @property
    def processes(self) -> Sequence[Process]:
        """Return Metacontroller and the hook."""
        return self.metacontroller, self.hook

    def install(self, client: Client) -> None:
        """Start the hook, and install what Metacontroller needs to call it."""
        self._client = client
        self.hook.start()
        install(client, self.hook.url, secrets="--watch-secrets" in self.options)

    def change_revision(self) -> None:
        """Change the revision in the URLs of the hook, as an upgrade with Helm does."""
        self._upgrades += 1
        self._apply()

    def set_resync(self, seconds: int) -> int:
        """Change the CompositeController."""
        before = self.work().syncs
        self._resync = seconds
        self._apply()
        return before

    def _apply(self) -> None:
        item = copy.deepcopy(controller(self.hook.url))
        item["spec"]["resyncPeriodSeconds"] = self._resync
        for hook in item["spec"]["hooks"].values():
            hook["webhook"]["url"] += f".{self._upgrades}" if self._upgrades else ""
        self._client.apply(item)

    def work(self) -> Work:
        """Return the calls of the hook, from the metrics of Metacontroller."""
        text = _text(self._metrics, self._address)
        return Work(
            int(total(text, "metacontroller_sync_requests_total")),
            int(total(text, "metacontroller_customize_requests_total")),
            int(total(text, "workqueue_depth", name="CompositeController-myresource")),
        )


@dataclass
class GoOperator:
    """The operator of bench/peers/go-operator, which is built in *folder*."""

    folder: Path
    control_plane: ControlPlane
    name: str = "Go operator"
    _metrics: httpx.Client = field(default_factory=lambda: httpx.Client(trust_env=False))

    def __post_init__(self) -> None:
        """Build it; raise MissingGo."""
        self._address = f"127.0.0.1:{free_port()}"
        command = [str(build_go_operator(self.folder)), f"--kubeconfig-file={self.control_plane.kubeconfig(ADMIN)}"]
        command += [f"--metrics-address={self._address}", f"--resync={DEFAULT_RESYNC}s"]
        self._process = Process("go-operator", command, self.folder, lambda: answers(f"http://{self._address}/metrics"))

    @property
    def processes(self) -> Sequence[Process]:
        """Return its process."""
        return (self._process,)

    def install(self, client: Client) -> None:
        """Do nothing: it needs the CRD alone."""

    def set_resync(self, seconds: int) -> int:
        """Restart it with another period."""
        self._process.command[-1] = f"--resync={seconds}s"
        self._process.restart()
        return 0  # a new process counts from zero

    def work(self) -> Work:
        """Return the calls of Reconcile."""
        text = _text(self._metrics, f"http://{self._address}/metrics")
        return Work(int(total(text, "controller_runtime_reconcile_total")), 0, int(total(text, "workqueue_depth")))


def build_go_operator(folder: Path) -> Path:
    """Build bench/peers/go-operator in *folder*; raise MissingGo."""
    go = shutil.which("go")
    if go is None:
        message = "skipped: the operator in Go needs Go; install it and try again"
        raise MissingGo(message)
    made = folder / "go-operator"
    command = [go, "build", "-buildvcs=false", "-o", str(made), "."]
    built = subprocess.run(command, cwd=_GO_OPERATOR, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    if built.returncode:
        message = f"skipped: the operator in Go can't be built: {built.stderr.strip()[-300:]}"
        raise MissingGo(message)
    return made


def _text(http: httpx.Client, url: str) -> str:
    """Return the metrics at *url*, none while nothing listens there."""
    try:
        return http.get(url).text
    except httpx.TransportError:
        return ""
