"""What has been used: CPU time and memory by process, and requests, by metrics in the text format of Prometheus."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bench import process as proc
from metahook.envtest.process import Ended, Process

_LINE = re.compile(r"^([a-z_]+){?([^}\n]*)}? ([0-9.e+-]+)$", re.MULTILINE)
_LABEL = re.compile(r'([a-z_]+)="([^"]*)"')


class Sample(NamedTuple):
    """A value of a metric, with its labels."""

    labels: dict[str, str]
    value: float


def samples(text: str, metric: str) -> Iterator[Sample]:
    """Yield the samples of *metric* in *text*."""
    at = text.find(f"\n# TYPE {metric} ")
    while (at := text.find(f"\n{metric}", at)) >= 0:  # only these lines: the API server has 20,000
        at += 1
        found = _LINE.match(text, at)
        if found and found[1] == metric:
            yield Sample(dict(_LABEL.findall(found[2])), float(found[3]))


def total(text: str, metric: str, **labels: str) -> float:
    """Return the sum of the samples of *metric* that have all *labels*."""
    return sum(each.value for each in samples(text, metric) if labels.items() <= each.labels.items())


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
