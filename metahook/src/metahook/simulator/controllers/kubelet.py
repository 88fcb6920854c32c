"""A kubelet for all Pods: it schedules them, starts their containers, and writes their status.

A Pod needs the objects that it names, and keys in them, before it is stored and before its containers start. Then one
status follows another, depending on its failure: a word in the tag of an image says how its container fails, or
``Kubelet.fail`` for all containers.

Source: Kubernetes, pkg/kubelet/kuberuntime (a container that exits is restarted at once, then after 10 s, 20 s and so
on, up to five minutes), pkg/kubelet/images (the same for pulls), pkg/kubelet/kubelet_pods.go for variables;
pkg/volume/configmap, secret and projected; pkg/scheduler/framework/plugins/volumebinding; and
plugin/pkg/admission/serviceaccount and priority.
"""

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.store import Admission, ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.controllers import pod_status
from metahook.simulator.controllers.pod_status import has_failed, has_probe, has_run, is_ready
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key, is_deleting, key_of

NEEDED = ("ConfigMap", "Secret", "PersistentVolumeClaim")
"""The kinds of these objects."""

_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}


class Missing(NamedTuple):
    """What a Pod waits for: a *claim*, without which it fits on no node; an object that a *volume* has files of.

    By the name of each of *containers* that can't be created, it has what the kubelet says. All are empty if nothing is
    missing.
    """

    claim: str
    volume: str
    containers: dict[str, str]


NOTHING = Missing("", "", {})


def pod_admission(get: Callable[[Key], Json | None]) -> Admission:
    """Return the admission that refuses a new Pod without the objects that it names; *get* returns one, or None.

    One with a node, which was stored elsewhere, is accepted.
    """

    def admit(item: Json, live: Json | None) -> Json:
        if item["kind"] == "Pod" and live is None and "nodeName" not in item["spec"]:
            spec, namespace = item["spec"], item["metadata"]["namespace"]
            account = spec.get("serviceAccountName") or "default"
            priority = spec.get("priorityClassName") or "system-"
            if account != "default" and get(Key("ServiceAccount", namespace, account)) is None:
                problem = (
                    f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
                )
                raise ApiError("Forbidden", f"pods is forbidden: {problem}")
            if not priority.startswith("system-") and get(Key("PriorityClass", "", priority)) is None:
                raise ApiError("Forbidden", f"pods is forbidden: no PriorityClass with name {priority} was found")
        return item

    return admit


def missing(pod: Json, get: Callable[[Key], Json | None]) -> Missing:
    """Return which of the objects that *pod* needs are missing; *get* returns one, or None."""
    namespace, spec = pod["metadata"].get("namespace", ""), pod["spec"]

    def lacks(kind: str, name: str, keys: list[str]) -> str:
        """Return what the kubelet says if the object called *name*, or one of *keys* in it, is missing."""
        found = get(Key(kind, namespace, name))
        if found is None:
            return f'{kind.lower()} "{name}" not found'
        present = {**(found.get("data") or {}), **(found.get("binaryData") or {})}
        absent = next((key for key in keys if key not in present), None)
        return f"couldn't find key {absent} in {kind} {namespace}/{name}" if absent is not None else ""

    volumes = spec.get("volumes") or []
    claims = [item["persistentVolumeClaim"]["claimName"] for item in volumes if "persistentVolumeClaim" in item]
    containers = [*(spec.get("initContainers") or []), *spec["containers"]]
    variables = {item["name"]: _first(lacks(*need) for need in _of_variables(item)) for item in containers}
    return Missing(
        _first(lacks("PersistentVolumeClaim", name, []) for name in claims),
        _first(lacks(*need) for volume in volumes for need in _of_volume(volume)),
        {name: message for name, message in variables.items() if message},
    )


def _first(messages: Iterator[str]) -> str:
    return next(filter(None, messages), "")


Need = tuple[str, str, list[str]]
"""A kind, a name, and keys."""


def _of_volume(volume: Json) -> Iterator[Need]:
    yield from _of_files(volume, "secretName")
    for source in (volume.get("projected") or {}).get("sources") or []:
        yield from _of_files(source, "name")


def _of_files(source: Json, name_of_secret: str) -> Iterator[Need]:
    for field, kind in _SOURCES.items():
        found = source.get(field)
        if found and not found.get("optional"):
            name = found.get(name_of_secret if field == "secret" else "name", "")
            yield kind, name, [item["key"] for item in found.get("items") or []]


def _of_variables(container: Json) -> Iterator[Need]:
    for each in container.get("envFrom") or []:
        yield from _of_reference(each, "Ref")
    for each in container.get("env") or []:
        yield from _of_reference(each.get("valueFrom") or {}, "KeyRef")


def _of_reference(source: Json, suffix: str) -> Iterator[Need]:
    for field, kind in _SOURCES.items():
        found = source.get(f"{field}{suffix}")
        if found and not found.get("optional"):
            yield kind, found.get("name", ""), [found["key"]] if "key" in found else []


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


class Times(Struct, frozen=True):
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


_TIMES = Times()


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


NAME = "kubelet"

_AFFECT_RUNNING = (*EXITING, Failure.EVICTED, Failure.NODE_LOST)
"""Failures that also affect running containers."""


class Kubelet:
    """Runs the lifecycle of each Pod, with the failure of its image; ``fail`` sets a failure for all Pods."""

    def __init__(self, api: ApiServer, clock: Clock, times: Times = _TIMES) -> None:
        self._api = api
        self._clock = clock
        self._times = times
        self._failure: Failure | None = None
        self._ending: set[str] = set()
        self._next: dict[str, Timer] = {}
        self._lacks: dict[str, Missing] = {}
        api.watch(self._on_write)

    def fail(self, failure: Failure | None) -> None:
        """Make all containers fail in this way from now on; None returns to the failures of their images."""
        self._failure = failure
        for pod in self._api.all("Pod"):
            pod_failure = self._failure_of(pod)
            if (
                pod_failure in _AFFECT_RUNNING
                or not is_ready(pod)
                or (pod_failure is Failure.UNREADY and has_probe(pod))
            ):
                self._start(pod)

    def _on_write(self, write: Write) -> None:
        if write.key.kind in NEEDED:
            self._look_again(write.key.namespace)
        if write.key.kind != "Pod" or write.after is None:
            return
        if write.before is None:
            self._start(write.after)
        elif is_deleting(write.after) and write.after["metadata"]["uid"] not in self._ending:
            self._ending.add(write.after["metadata"]["uid"])
            self._clock.after(self._times.stop, lambda: self._api.remove(write.key, NAME))

    def _look_again(self, namespace: str) -> None:
        """Start the Pods in *namespace* anew that lack something else now, and have not run."""
        for pod in self._api.all("Pod"):
            is_here = pod["metadata"].get("namespace") == namespace and not is_deleting(pod)
            if is_here and not has_run(pod) and missing(pod, self._api.get) != self._lacks[pod["metadata"]["uid"]]:
                self._start(pod)

    def _failure_of(self, pod: Json) -> Failure:
        images = [container["image"] for container in pod["spec"]["containers"]]
        return self._failure or next(
            (failure for failure in map(failure_of_image, images) if failure is not Failure.RUNS), Failure.RUNS
        )

    def _start(self, pod: Json) -> None:
        """Start the lifecycle of *pod*, in place of the one that is running."""
        timer = self._next.pop(pod["metadata"]["uid"], None)
        if timer:
            timer.cancelled = True
        lack = NOTHING if has_run(pod) else missing(pod, self._api.get)
        self._lacks[pod["metadata"]["uid"]] = lack
        again = self._failed_before(pod)
        self._schedule(pod, pod_lifecycle(pod, self._failure_of(pod), self._times, lack, again=again))

    def _failed_before(self, pod: Json) -> bool:
        """Tell whether two Pods of the controller of *pod* have failed: a third one counts as idle."""
        failed = (other for other in self._api.all("Pod") if has_failed(other))
        return sum(controller_of(other) == controller_of(pod) for other in failed) > 1

    def _schedule(self, pod: Json, rest: Iterator[StatusChange]) -> None:
        change = next(rest, None)
        if change is not None:
            timer = self._clock.after(change.wait, lambda: self._write(pod, change, rest), idle=change.idle)
            self._next[pod["metadata"]["uid"]] = timer

    def _write(self, pod: Json, change: StatusChange, rest: Iterator[StatusChange]) -> None:
        """Write the status, unless the Pod is gone or being deleted, and schedule the next one."""
        live = self._api.get(key_of(pod))
        if live is None or live["metadata"]["uid"] != pod["metadata"]["uid"] or is_deleting(live):
            return
        self._api.update_status({**live, "status": change.status(live, self._clock)}, NAME)
        self._schedule(pod, rest)
