"""What has been used since a moment: CPU time by process, calls of the hook, and requests to the API server."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.scale.prometheus import samples
from metahook.envtest.process import Ended, Process

_TICKS = os.sysconf("SC_CLK_TCK")
_WRITES = {"APPLY", "DELETE", "PATCH", "POST", "PUT"}


@dataclass(frozen=True)
class Cpu:
    """CPU seconds of processes, by name and process id."""

    seconds: Mapping[tuple[str, int], float]

    def since(self, before: "Cpu") -> dict[str, float]:
        """Return the seconds since *before* by name; of a process that started since then, all."""
        used: Counter[str] = Counter()
        for (name, pid), seconds in self.seconds.items():
            used[name] += seconds - before.seconds.get((name, pid), 0)  # type: ignore[assignment]  # a Counter of floats
        return {name: round(seconds, 2) for name, seconds in used.items()}


def cpu_of(processes: Iterable[Process]) -> Cpu:
    """Return the CPU seconds of those *processes* that run."""
    return Cpu({(process.name, pid): cpu(pid) for process in processes if (pid := _pid(process))})


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process, in user mode and in kernel mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory(processes: Iterable[Process]) -> dict[str, int]:
    """Return the resident memory of those *processes* that run, in MiB by name."""
    return {process.name: _resident(pid) for process in processes if (pid := _pid(process))}


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) // 1024


def _pid(process: Process) -> int:
    try:
        return process.pid
    except Ended:
        return 0


def api_requests(text: str) -> Counter[str]:
    """Return the numbers of requests about MyResources and their children, from the metrics of the API server.

    Keys are such as ``PUT myresources/status``. Lists and watches do not count.
    """
    counted: Counter[str] = Counter()
    for labels, value in samples(text, "apiserver_request_total"):
        resource, verb = labels["resource"], labels["verb"]
        if resource in {"myresources", "deployments", "services"} and verb in {"GET", *_WRITES}:
            part = f"/{labels['subresource']}" if labels.get("subresource") else ""
            counted[f"{verb} {resource}{part}"] += int(value)
    return counted
