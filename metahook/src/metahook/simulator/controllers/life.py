"""The life of a Pod: what its kubelet tells of it, one thing after the other, as its fate has it.

Source: Kubernetes, pkg/kubelet/kuberuntime (a container that ended for the first time is started again at once, then
after 10 s, 20 s and so on, up to five minutes) and pkg/kubelet/images (so are pulls).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from metahook.simulator.clock import Clock
from metahook.simulator.controllers import pod_status
from metahook.simulator.controllers.fate import ENDS, Fate, Times
from metahook.simulator.objects import Json

Status = Callable[[Json, Clock], Json]


class News(NamedTuple):
    """A status that is told some seconds after what was told before; ``idle`` says that it has been so before."""

    wait: float
    status: Status
    idle: bool = False


def life(pod: Json, fate: Fate, times: Times, *, again: bool = False) -> Iterator[News]:
    """Yield the life of *pod* from now on: to its end if it ends, for ever if it fails again and again.

    *again* tells whether Pods that it replaces were evicted before.
    """
    begun = pod_status.has_run(pod)
    if fate is Fate.UNSCHEDULABLE and not begun:
        yield News(times.schedule, pod_status.unscheduled)
    elif pod_status.is_over(pod):
        return
    elif fate is Fate.NODE_LOST:
        yield from _lost(pod)
    elif begun and fate in ENDS:
        yield from _crashing(pod, fate, times, at_once=True)
    elif begun and fate is Fate.EVICTED:
        yield News(times.fill, pod_status.evicted, idle=again)
    elif begun and pod_status.is_ready(pod):
        yield News(0, pod_status.running)
    else:
        before = 0.0 if begun else times.schedule
        if not begun:
            yield News(before, pod_status.creating)
        yield from _started(pod, fate, times, times.pull - before)
        if fate is Fate.EVICTED:
            yield News(times.fill, pod_status.evicted, idle=again)


def _started(pod: Json, fate: Fate, times: Times, pulls: float) -> Iterator[News]:
    if fate is Fate.BAD_IMAGE:
        yield from _unpulled(times, pulls)
    elif fate is Fate.CONFIG_ERROR:
        yield News(pulls, pod_status.misconfigured)
    elif fate in ENDS:
        yield News(pulls, _up(pod))
        yield from _crashing(pod, fate, times)
    else:
        yield from _running(pod, fate, times, pulls)


def _running(pod: Json, fate: Fate, times: Times, pulls: float) -> Iterator[News]:
    starts = pulls + (times.slow_start if fate is Fate.SLOW else times.start)
    probed = _first_probe(pod)
    if probed is None:
        yield News(starts, pod_status.ready)
        return
    yield News(starts, pod_status.running)
    if fate is not Fate.UNREADY:
        yield News(probed, pod_status.ready)


def _unpulled(times: Times, pulls: float) -> Iterator[News]:
    yield News(pulls, pod_status.no_image)
    failures = 0
    while True:
        failures += 1
        yield News(times.look, pod_status.no_image_for_now, idle=failures > 1)
        yield News(times.waits(failures), pod_status.no_image, idle=True)


def _lost(pod: Json) -> Iterator[News]:
    """Yield what is told of a Pod whose node is lost: its containers stay as they were reported last."""
    if pod_status.is_ready(pod):
        yield News(0, pod_status.lost)


def _up(pod: Json) -> Status:
    """Return how a container is that runs and is going to end soon: without a probe it is ready at once."""
    return pod_status.running if pod_status.has_probe(pod) else pod_status.ready


def _crashing(pod: Json, fate: Fate, times: Times, *, at_once: bool = False) -> Iterator[News]:
    """Yield the life of a container that is about to end."""
    ended = partial(pod_status.ended, oom=fate is Fate.OOM)
    yield News(0 if at_once else times.crash, ended)
    yield News(times.look, _up(pod))
    failures = 0
    while True:
        failures += 1
        yield News(times.crash, ended, idle=failures > 1)
        yield News(times.look, pod_status.backing_off, idle=failures > 1)
        yield News(times.waits(failures), _up(pod), idle=True)


def _first_probe(pod: Json) -> float | None:
    """Return after how many seconds the readiness probes succeed for the first time; None if there are none."""
    probes = [container.get("readinessProbe") for container in pod["spec"]["containers"]]
    return max((probe.get("initialDelaySeconds", 0) + 0.5 for probe in probes if probe), default=None)
