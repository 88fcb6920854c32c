"""Causes: why a Pod is not available, as its status tells. One message for as long as the cause is the same.

A container in trouble changes its state all the time: ErrImagePull and ImagePullBackOff take turns, and so do
CrashLoopBackOff, running and terminated. So a cause is read from what stays: how the container ended last, and how
often it has ended. No count, no name of a Pod or a node, and no word of others goes into a message.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.api.spec import MyResourceSpec
from app.core import advice
from app.core.moments import after, moment
from app.core.pod_reasons import (
    CONTAINER_CONFIG_ERROR,
    CRASH_LOOPING,
    IMAGE_PULL_FAILED,
    OOM_KILLED,
    POD_REASONS,
    PROBE_FAILING,
    UNSCHEDULABLE,
)
from app.core.reason import Reason
from app.hooks import Condition, ContainerStatus, Pod, Terminated

GRACE = 10
"""Seconds that a probe gets on top: the kubelet does not ask at once, and its answer takes a while to get here."""

FORGIVEN = 600
"""Seconds of running after which it no longer counts that a container ended. Source: the kubelet's back-off."""

STEADY = 60
"""Seconds of running after which a container that is ready, in a Pod that is not, is no longer suspected."""

_NO_IMAGE = {
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "RegistryUnavailable",
    "SignatureValidationFailed",
}
_NOT_CREATED = {"CreateContainerConfigError", "CreateContainerError"}
_ENDED = {"CrashLoopBackOff", "RunContainerError"}
"""Why a container waits. Source: Kubernetes, pkg/kubelet/images/types.go and container/sync_result.go."""


@dataclass(frozen=True)
class Cause:
    """Why a Pod is not available: a reason, the words for its message, and from when until when it holds.

    It is ``past`` while its container is ready, and ``others`` if that is not the MyResource's own.
    """

    reason: Reason
    words: dict[str, str] = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None
    past: bool = False
    others: bool = False

    @property
    def place(self) -> tuple[bool, int, bool, list[tuple[str, str]]]:
        """Which of several is said: that with the lowest place."""
        return self.past, POD_REASONS.index(self.reason), self.others, sorted(self.words.items())

    def holds(self, now: datetime) -> bool:
        """Tell whether it holds *now*."""
        return (self.since is None or self.since <= now) and (self.until is None or now < self.until)


def causes(pod: Pod, spec: MyResourceSpec) -> Iterator[Cause]:
    """Yield what keeps *pod* from being available, or will, if *spec* is what it was made for."""
    if pod.status is None:
        return
    if any(map(_finds_no_node, pod.status.conditions or [])):
        yield Cause(UNSCHEDULABLE)
    init, main = pod.status.init_container_statuses or [], pod.status.container_statuses or []
    sidecars = pod.spec.sidecars if pod.spec else set()
    is_ready = all(seen.ready for seen in (*init, *main))
    for seen, ends in (*((seen, seen.name not in sidecars) for seen in init), *((seen, False) for seen in main)):
        found = _stopped(seen, spec, ends=ends)
        yield from _in_between(found, seen, _steady(seen, spec, is_ready=is_ready)) if seen.ready else found
    for seen in main:
        if not seen.ready:
            yield from _unready(seen, spec)


def _in_between(found: Iterator[Cause], seen: ContainerStatus, steady: float) -> Iterator[Cause]:
    """Yield why a container that is ready did not run before: a loop goes on until it has run for *steady* seconds."""
    if started := _started(seen):
        until = after(started, min(steady, FORGIVEN))
        yield from (replace(cause, until=until, past=True) for cause in found)


def _steady(seen: ContainerStatus, spec: MyResourceSpec, *, is_ready: bool) -> int:
    """Return how long a container that is ready must run until it is no longer suspected, in a Pod that *is_ready*."""
    if not is_ready:
        return STEADY
    return spec.min_ready_seconds + (advice.probe_takes(seen, spec) or 0) if spec.min_ready_seconds else 0


def _finds_no_node(condition: Condition) -> bool:
    return (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "Unschedulable")


def _stopped(seen: ContainerStatus, spec: MyResourceSpec, *, ends: bool = False) -> Iterator[Cause]:
    """Yield why a container does not run, or not for long; one that *ends*, and is run anew with its Pod, may do so."""
    waiting, ended = seen.now.waiting, _ended(seen)
    why = waiting.reason if waiting else None
    others = not advice.is_own(seen)
    if why in _NO_IMAGE:
        yield Cause(IMAGE_PULL_FAILED, advice.image(seen), others=others)
    elif waiting and why in _NOT_CREATED:
        yield Cause(CONTAINER_CONFIG_ERROR, advice.config(seen, waiting.message or "", spec), others=others)
    elif ended and ended.reason == "OOMKilled":
        yield Cause(OOM_KILLED, advice.memory(seen, spec), until=_forgiven(seen), others=others)
    elif ended and _times_ended(seen) > 1 and not (ends and ended.exit_code == 0):
        yield Cause(CRASH_LOOPING, advice.crash(seen, ended.exit_code), until=_forgiven(seen), others=others)


def _unready(seen: ContainerStatus, spec: MyResourceSpec) -> Iterator[Cause]:
    """Yield from when on a container that runs should have been ready.

    While its startup probe has not succeeded, that is not so; the kubelet ends it if that takes too long.
    """
    takes, started = advice.probe_takes(seen, spec), _started(seen)
    if takes is not None and started and seen.started is not False:
        since = after(started, takes + GRACE)
        yield Cause(PROBE_FAILING, advice.probe(seen), since=since, others=not advice.is_own(seen))


def _ended(seen: ContainerStatus) -> Terminated | None:
    """Return how a container ended last."""
    return seen.now.terminated or seen.before.terminated


def _times_ended(seen: ContainerStatus) -> int:
    """Return how often a container has ended: the kubelet counts how often it was started again."""
    waiting = seen.now.waiting
    is_down = seen.now.terminated is not None or (waiting is not None and waiting.reason in _ENDED)
    return (seen.restart_count or 0) + is_down


def _started(seen: ContainerStatus) -> datetime | None:
    """Return since when a container runs, if it does."""
    return moment(seen.now.running.started_at) if seen.now.running else None


def _forgiven(seen: ContainerStatus) -> datetime | None:
    started = _started(seen)
    return after(started, FORGIVEN) if started else None
