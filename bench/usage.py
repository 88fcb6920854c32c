"""What processes have used so far: seconds of the CPU, and calls of the hook."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.e2e.cluster import Cluster
from tests.e2e.processes import Process

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """Seconds of the CPU by process, and calls of the hook."""

    metacontroller: float
    hook: float
    apiserver: float
    syncs: int
    customizes: int

    def __sub__(self, before: "Usage") -> "Usage":
        """Return what was used since *before*."""
        mine, theirs = vars(self), vars(before)
        return Usage(**{name: mine[name] - theirs[name] for name in mine})


def usage(cluster: Cluster, metacontroller: Process) -> Usage:
    """Return what *cluster* and its *metacontroller* have used since they were started."""
    calls = _calls(metacontroller)
    return Usage(
        metacontroller=cpu(metacontroller.pid),
        hook=cpu(cluster.hook.pid),
        apiserver=cpu(cluster.control_plane.apiserver.pid),
        syncs=calls.get("sync", 0),
        customizes=calls.get("customize", 0),
    )


def cpu(pid: int) -> float:
    """Return the seconds that a process has had, for itself and for what the system did for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _calls(metacontroller: Process) -> dict[str, int]:
    """Return how often each hook was called, by Metacontroller's own count."""
    (address,) = (word.partition("=")[2] for word in metacontroller.command if word.startswith("--metrics-address="))
    text = httpx.get(f"http://{address}/metrics", trust_env=False).text
    found = re.findall(r"^metacontroller_(sync|customize)_requests_total{.*} (\S+)$", text, re.MULTILINE)
    calls: dict[str, int] = {}
    for hook, count in found:
        calls[hook] = calls.get(hook, 0) + int(float(count))
    return calls
