"""What has been used: CPU time and memory by process, and requests to the API server."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bench import process as proc
from bench.scale.prometheus import samples
from metahook.envtest.process import Ended, Process

_VERBS = {"APPLY", "DELETE", "GET", "PATCH", "POST", "PUT"}


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
    return Cpu({(process.name, pid): proc.cpu(pid) for process in processes if (pid := _pid(process))})


def memory_of(processes: Iterable[Process]) -> dict[str, int]:
    """Return the resident memory of those *processes* that run, in MiB by name."""
    return {process.name: proc.memory(pid) for process in processes if (pid := _pid(process))}


def _pid(process: Process) -> int:
    try:
        return process.pid
    except Ended:
        return 0


def api_requests(text: str) -> int:
    """Return the number of requests about MyResources and their children, from the metrics of the API server.

    Lists and watches do not count.
    """
    return sum(
        int(value)
        for labels, value in samples(text, "apiserver_request_total")
        if labels["resource"] in {"myresources", "deployments", "services"} and labels["verb"] in _VERBS
    )
