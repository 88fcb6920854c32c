"""A kubelet for all Pods: it schedules them, starts their containers, and writes their status."""

from collections.abc import Iterator

from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.controllers.pod_lifecycle import (
    EXITING,
    Failure,
    StatusChange,
    Times,
    failure_of_image,
    pod_lifecycle,
)
from metahook.simulator.controllers.pod_needs import NEEDED, NOTHING, Missing, missing
from metahook.simulator.controllers.pod_status import has_failed, has_probe, has_run, is_ready
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, is_deleting, key_of

NAME = "kubelet"

_AFFECT_RUNNING = (*EXITING, Failure.EVICTED, Failure.NODE_LOST)
"""Failures that also affect running containers."""


class Kubelet:
    """Runs the lifecycle of each Pod, with the failure of its image; ``fail`` sets a failure for all Pods."""

    def __init__(self, api: ApiServer, clock: Clock, times: Times = Times()) -> None:  # noqa: B008 - a frozen value
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
