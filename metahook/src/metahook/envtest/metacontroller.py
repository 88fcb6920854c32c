"""Metacontroller as a process, with one of its apply strategies, and what it reports in Events."""

from pathlib import Path

from metahook.envtest.binaries import Binaries
from metahook.envtest.client import Client
from metahook.envtest.free_port import free_port
from metahook.envtest.process import Process, answers


def metacontroller(binaries: Binaries, folder: Path, kubeconfig: Path, apply_strategy: str, proxy: str = "") -> Process:
    """Return Metacontroller, not yet started, with its log in *folder*; it calls hooks through *proxy*, if any.

    Metacontroller's CRDs must be established before it starts.
    """
    health = free_port()
    command = [
        *(["env", f"HTTP_PROXY={proxy}", f"HTTPS_PROXY={proxy}"] if proxy else []),
        str(binaries.metacontroller),
        f"--kubeconfig={kubeconfig}",
        f"--apply-strategy={apply_strategy}",
        "--discovery-interval=1s",
        f"--metrics-address=127.0.0.1:{free_port()}",
        f"--health-probe-bind-address=127.0.0.1:{health}",
        "--client-go-qps=500",  # the default of five requests a second would slow tests down
        "--client-go-burst=1000",
        "--zap-log-level=1",
    ]
    name = f"metacontroller-{apply_strategy}"
    return Process(name, command, folder, lambda: answers(f"http://127.0.0.1:{health}/readyz"))


def count_events(client: Client, name: str, reason: str, kind: str = "CompositeController") -> int:
    """Return how often Metacontroller has reported *reason*, such as Started, about the controller *name* of *kind*."""
    selector = f"involvedObject.kind={kind},involvedObject.name={name},reason={reason}"
    # Equal Events are one, with a count; an Event of the newer API has a count of null or none.
    return sum(item.get("count") or 1 for item in client.all("Event", "default", fieldSelector=selector))
