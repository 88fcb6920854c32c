"""The resource usage of processes: CPU seconds, and calls of the hook."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import httpx

from metahook.envtest.process import Process
from tests.e2e.cluster import Cluster

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """CPU seconds by process, and the numbers of calls of the hook."""

    metacontroller: float
    hook: float
    apiserver: float
    syncs: int
    customizes: int

    def __sub__(self, before: "Usage") -> "Usage":
        """Return the usage since *before*."""
        mine, theirs = vars(self), vars(before)
        return Usage(**{name: mine[name] - theirs[name] for name in mine})


def usage(cluster: Cluster, metacontroller: Process) -> Usage:
    """Return the usage of *cluster* and its *metacontroller* since their start."""
    calls = _calls(metacontroller)
    return Usage(
        metacontroller=cpu(metacontroller.pid),
        hook=cpu(cluster.hook.pid),
        apiserver=cpu(cluster.control_plane.apiserver.pid),
        syncs=calls.get("sync", 0),
        customizes=calls.get("customize", 0),
    )


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process, in user mode and in kernel mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _calls(metacontroller: Process) -> dict[str, int]:
    """Return the number of calls of each hook, from Metacontroller's metrics."""
    (address,) = (word.partition("=")[2] for word in metacontroller.command if word.startswith("--metrics-address="))
    text = httpx.get(f"http://{address}/metrics", trust_env=False).text
    found = re.findall(r"^metacontroller_(sync|customize)_requests_total{.*} (\S+)$", text, re.MULTILINE)
    calls: dict[str, int] = {}
    for hook, count in found:
        calls[hook] = calls.get(hook, 0) + int(float(count))
    return calls
