"""The lifecycle of a Pod: the statuses that its kubelet writes one after the other, depending on its failure.

A word in the tag of an image says how its container fails, or ``Kubelet.fail`` for all containers.

Source: Kubernetes, pkg/kubelet/kuberuntime (a container that exits is restarted at once, then after 10 s, 20 s and so
on, up to five minutes) and pkg/kubelet/images (the same for pulls).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import NamedTuple

from metahook.simulator.clock import Clock
from metahook.simulator.controllers import pod_status
from metahook.simulator.controllers.pod_needs import NOTHING, Missing
from metahook.simulator.objects import Json


class Failure(Enum):
    """The failure of a container; RUNS is none."""

    RUNS = "runs"
    BAD_IMAGE = "bad-image"
    CRASH = "crash"
    OOM = "oom"
    SLOW = "slow"
    CONFIG_ERROR = "config-error"
    UNSCHEDULABLE = "unschedulable"
    UNREADY = "unready"
    EVICTED = "evicted"
    NODE_LOST = "node-lost"


EXITING = (Failure.CRASH, Failure.OOM)
"""Failures in which a container exits and is restarted."""

_WORDS = {
    "bad": Failure.BAD_IMAGE,
    "crash": Failure.CRASH,
    "oom": Failure.OOM,
    "slow": Failure.SLOW,
    "config-error": Failure.CONFIG_ERROR,
    "unschedulable": Failure.UNSCHEDULABLE,
    "unready": Failure.UNREADY,
    "evicted": Failure.EVICTED,
    "node-lost": Failure.NODE_LOST,
}


def failure_of_image(image: str) -> Failure:
    """Return the failure that a word in the tag of *image* names, as in ``nginx:bad`` or ``nginx:1.28-crash``."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    words = f"-{'-'.join(re.split('[^a-z]+', tag))}-"
    return next((failure for word, failure in _WORDS.items() if f"-{word}-" in words), Failure.RUNS)


@dataclass(frozen=True)
class Times:
    """Durations, in seconds."""

    schedule: float = 0.1
    pull: float = 1.0
    start: float = 1.0
    slow_start: float = 45.0
    crash: float = 1.0
    """From the start of a container to its crash."""
    evict: float = 60.0
    """From the start of a container to its eviction: the kubelet measures volumes once a minute."""
    stop: float = 1.0
    recheck: float = 1.0
    """Until the kubelet checks a failed container again."""
    back_off: float = 10.0
    """Before the first delayed restart; each further one waits twice as long."""
    longest_back_off: float = 300.0

    def back_off_after(self, failures: int) -> float:
        """Return the wait after so many *failures*."""
        return min(self.back_off * 2.0 ** min(failures - 1, 10), self.longest_back_off)


Status = Callable[[Json, Clock], Json]


class StatusChange(NamedTuple):
    """A status, and the seconds after the previous one; ``idle`` (see Timer) for one that repeats an earlier one."""

    wait: float
    status: Status
    idle: bool = False


def pod_lifecycle(
    pod: Json, failure: Failure, times: Times, lack: Missing = NOTHING, *, again: bool = False
) -> Iterator[StatusChange]:
    """Yield the statuses of *pod* from now on, as long as it has this *lack*; without end if it fails again and again.

    *again* means that Pods that it replaces were evicted before.
    """
    has_run = pod_status.has_run(pod)
    if not has_run and (lack.claim or failure is Failure.UNSCHEDULABLE):
        why = lack.claim or "3 Insufficient memory"
        yield StatusChange(times.schedule, partial(pod_status.unscheduled, why=why))
    elif pod_status.has_failed(pod):
        return
    elif failure is Failure.NODE_LOST:
        yield from _lost(pod)
    elif has_run and failure in EXITING:
        yield from _crashing(pod, failure, times, at_once=True)
    elif has_run and failure is Failure.EVICTED:
        yield StatusChange(times.evict, pod_status.evicted, idle=again)
    elif has_run and pod_status.is_ready(pod):
        yield StatusChange(0, pod_status.running)
    else:
        before = 0.0 if has_run else times.schedule
        if not has_run:
            yield StatusChange(before, pod_status.creating)
        yield from _started(pod, failure, times, times.pull - before, lack)
        if failure is Failure.EVICTED:
            yield StatusChange(times.evict, pod_status.evicted, idle=again)


def _started(pod: Json, failure: Failure, times: Times, pulls: float, lack: Missing) -> Iterator[StatusChange]:
    if lack.volume:
        return  # its containers are being created until it is there
    refused = lack.containers
    if failure is Failure.CONFIG_ERROR and not refused:
        refused = {pod["spec"]["containers"][0]["name"]: pod_status.missing_key(pod)}
    if failure is Failure.BAD_IMAGE:
        yield from _unpulled(times, pulls)
    elif refused:
        yield StatusChange(pulls, partial(pod_status.misconfigured, messages=refused))
    elif failure in EXITING:
        yield StatusChange(pulls, _up(pod))
        yield from _crashing(pod, failure, times)
    else:
        yield from _running(pod, failure, times, pulls)


def _running(pod: Json, failure: Failure, times: Times, pulls: float) -> Iterator[StatusChange]:
    starts = pulls + (times.slow_start if failure is Failure.SLOW else times.start)
    probe_delay = _first_probe(pod)
    if probe_delay is None:
        yield StatusChange(starts, pod_status.ready)
        return
    yield StatusChange(starts, pod_status.running)
    if failure is not Failure.UNREADY:
        yield StatusChange(probe_delay, pod_status.ready)


def _unpulled(times: Times, pulls: float) -> Iterator[StatusChange]:
    yield StatusChange(pulls, pod_status.no_image)
    failures = 0
    while True:
        failures += 1
        yield StatusChange(times.recheck, pod_status.no_image_for_now, idle=failures > 1)
        yield StatusChange(times.back_off_after(failures), pod_status.no_image, idle=True)


def _lost(pod: Json) -> Iterator[StatusChange]:
    """Yield the status of a Pod on a lost node: its containers stay as they were last reported."""
    if pod_status.is_ready(pod):
        yield StatusChange(0, pod_status.lost)


def _up(pod: Json) -> Status:
    """Return the status of a container that runs before it exits: ready at once if it has no probe."""
    return pod_status.running if pod_status.has_probe(pod) else pod_status.ready


def _crashing(pod: Json, failure: Failure, times: Times, *, at_once: bool = False) -> Iterator[StatusChange]:
    """Yield the statuses of a container that keeps exiting."""
    ended = partial(pod_status.ended, oom=failure is Failure.OOM)
    yield StatusChange(0 if at_once else times.crash, ended)
    yield StatusChange(times.recheck, _up(pod))
    failures = 0
    while True:
        failures += 1
        yield StatusChange(times.crash, ended, idle=failures > 1)
        yield StatusChange(times.recheck, pod_status.backing_off, idle=failures > 1)
        yield StatusChange(times.back_off_after(failures), _up(pod), idle=True)


def _first_probe(pod: Json) -> float | None:
    """Return the seconds until the readiness probes first succeed; None if there are none."""
    probes = [container.get("readinessProbe") for container in pod["spec"]["containers"]]
    return max((probe.get("initialDelaySeconds", 0) + 0.5 for probe in probes if probe), default=None)
