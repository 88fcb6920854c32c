"""The load of the processes: CPU seconds, resident memory, and calls of the hook."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from metahook.envtest.process import Process
from tests.e2e.cluster import Cluster

_TICKS = os.sysconf("SC_CLK_TCK")
_METRIC = re.compile(r"^metacontroller_(sync|customize)_requests_total{.*} (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Load:
    """CPU seconds of each Metacontroller, of the hook and of the API server, and calls of each hook."""

    metacontrollers: tuple[float, ...]
    hook: float
    apiserver: float
    syncs: int
    customizes: int

    def since(self, before: "Load") -> "Load":
        """Return what was used since *before*."""
        return Load(
            tuple(mine - other for mine, other in zip(self.metacontrollers, before.metacontrollers, strict=True)),
            self.hook - before.hook,
            self.apiserver - before.apiserver,
            self.syncs - before.syncs,
            self.customizes - before.customizes,
        )


def load_of(cluster: Cluster, metacontrollers: Sequence[Process]) -> Load:
    """Return the load of *cluster* since its start, and of the running *metacontrollers* since theirs."""
    found = [calls(process) for process in metacontrollers]
    return Load(
        tuple(cpu(process) for process in metacontrollers),
        cpu(cluster.hook),
        cpu(cluster.control_plane.apiserver),
        sum(each.get("sync", 0) for each in found),
        sum(each.get("customize", 0) for each in found),
    )


def cpu(process: Process) -> float:
    """Return the CPU seconds of *process*, in user mode and in kernel mode."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory(process: Process) -> int:
    """Return the resident memory of *process* in MiB."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) // 1024


def calls(metacontroller: Process) -> dict[str, int]:
    """Return the number of calls of each hook, from the metrics of *metacontroller*."""
    (address,) = (word.partition("=")[2] for word in metacontroller.command if word.startswith("--metrics-address="))
    text = httpx.get(f"http://{address}/metrics", trust_env=False).text
    counted: dict[str, int] = {}
    for hook, count in _METRIC.findall(text):
        counted[hook] = counted.get(hook, 0) + int(float(count))
    return counted
