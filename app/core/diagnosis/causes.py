"""Causes: why a Pod is not available, as its status shows. The message is the same for as long as the cause is.

A failing container changes its state all the time: ErrImagePull and ImagePullBackOff alternate, and so do
CrashLoopBackOff, running and terminated. So a cause depends on what stays: how the container ended last, and how often
it has ended. A message contains no count, no name of a Pod or a node, and no free text of the kubelet.

Without a readiness probe the kubelet reports a container as ready whenever it runs, also in between two crashes. So a
container that crashed twice makes its Pod *unstable* until it has run for ten minutes, as long as the kubelet itself
takes to reset its back-off: an unstable Pod never counts as available.
"""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from app.core.diagnosis.advice import Advice
from app.core.reasons import POD_REASONS, Explanation, Reason
from app.core.timers import after, parse_time
from metahook import Condition, ContainerStatus, Pod, PodStatus, Terminated

EVENT_GRACE = 10
"""Seconds until an event is observed, added to the time of a probe and to minReadySeconds."""

FORGIVEN = 600
"""Seconds of running after which it no longer counts that a container ended. Source: the kubelet's back-off."""

_NO_IMAGE = {
    "ErrImagePull",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "RegistryUnavailable",
    "SignatureValidationFailed",
}
_NOT_CREATED = {"CreateContainerConfigError", "CreateContainerError"}
_ENDED = {"CrashLoopBackOff", "PostStartHookError", "RunContainerError"}
"""Why a container waits. Source: Kubernetes, pkg/kubelet/images/types.go and container/sync_result.go."""

READ_MESSAGES = ("CreateContainerConfigError",)
"""Why a container waits, if the message counts: the kubelet's own. Those of container runtimes can have the command."""

_NOT_STARTED = {"ContainerCannotRun", "StartError"}
"""How a container ended that never ran, as container runtimes call it."""


class Cause(Struct, frozen=True):
    """Why a Pod is not available, and from when until when that holds."""

    explanation: Explanation
    since: datetime | None = None
    until: datetime | None = None
    container: str = ""
    """The name of its container, if it is about one."""
    is_recovered: bool = False
    """Whether that container is ready."""
    is_foreign: bool = False
    """Whether its container is not the MyResource's own."""
    is_unstable: bool = False
    """Whether its Pod does not count as available, ready or not, while the cause holds."""
    failed_at: datetime | None = None
    """When it failed last, if it is unstable and that is known."""

    @property
    def reason(self) -> Reason:
        """The reason that it gives."""
        return self.explanation.reason

    @property
    def rank(self) -> tuple[bool, int, bool, list[tuple[str, str]]]:
        """Which of several is reported: the one with the lowest rank."""
        return (
            self.is_recovered,
            POD_REASONS.index(self.reason),
            self.is_foreign,
            sorted(self.explanation.words.items()),
        )

    def holds(self, now: datetime) -> bool:
        """Tell whether it holds *now*."""
        return (self.since is None or self.since <= now) and (self.until is None or now < self.until)


def causes(pod: Pod, sidecars: set[str], advice: Advice) -> Iterator[Cause]:
    """Yield what keeps *pod* from being available, or will; *sidecars* are init containers that keep running."""
    if pod.status is None:
        return
    if any(map(_finds_no_node, pod.status.conditions or [])):
        yield Cause(advice.scheduling())
    init, main = pod.status.init_container_statuses or [], pod.status.container_statuses or []
    ending = [(container, container.name not in sidecars) for container in init]
    for container, ends in [*ending, *((container, False) for container in main)]:
        stopped = _stopped(container, advice, ends=ends)
        yield from _recovered(stopped, container, advice.min_ready_seconds) if container.ready else stopped
    for container in [*(container for container in init if container.name in sidecars), *main]:
        if not container.ready:
            yield from _unready(container, advice, pod.status)


def _recovered(stopped: Iterator[Cause], container: ContainerStatus, min_ready: int) -> Iterator[Cause]:
    """Yield why a container that is ready did not run before: for as long as it may end again soon.

    After a single failure that is until the Deployment counts its Pod again.
    """
    if started := _started(container):
        for cause in stopped:
            until = cause.until if cause.is_unstable else after(started, min_ready + EVENT_GRACE)
            yield replace(cause, until=until, is_recovered=True)


def _finds_no_node(condition: Condition) -> bool:
    return (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "Unschedulable")


def _stopped(container: ContainerStatus, advice: Advice, *, ends: bool = False) -> Iterator[Cause]:
    """Yield why a container does not run, or not for long; one that *ends* normally, an init container, may do so."""
    waiting = container.now.waiting
    why = waiting.reason if waiting else None
    name, foreign = container.name, not advice.is_own(container)
    if why in _NO_IMAGE:
        yield Cause(advice.image(container), container=name, is_foreign=foreign)
    elif why == "ErrImageNeverPull":
        yield Cause(advice.absent_image(container), container=name, is_foreign=foreign)
    elif waiting and why in _NOT_CREATED:
        message = waiting.message if why in READ_MESSAGES else None
        yield Cause(advice.config(container, message or ""), container=name, is_foreign=foreign)
    elif ended := _ended(container):
        yield from _causes_of_end(ended, container, advice, ends=ends)


def _causes_of_end(ended: Terminated, container: ContainerStatus, advice: Advice, *, ends: bool) -> Iterator[Cause]:
    """Yield what it means that a container *ended* so: a single crash means nothing, as it is started again at once."""
    loops = _times_ended(container) > 1 and not _ran_well(ended)
    if ended.reason in _NOT_STARTED:
        explanation = advice.start(container)
    elif ended.reason == "OOMKilled":
        explanation = advice.memory(container)
    elif loops and not (ends and ended.exit_code == 0):
        explanation = advice.crash(container, ended.exit_code)
    else:
        return
    yield Cause(
        explanation,
        until=_forgiven(container),
        container=container.name,
        is_foreign=not advice.is_own(container),
        is_unstable=loops,
        failed_at=parse_time(ended.finished_at),
    )


def _unready(container: ContainerStatus, advice: Advice, status: PodStatus) -> Iterator[Cause]:
    """Yield from when on a container that runs should have been ready.

    While its startup probe has not succeeded, that is not so; the kubelet ends it if that takes too long. A kubelet
    that was restarted reports containers as not ready until it has asked their probes again.
    """
    takes, started = advice.probe_takes(container), _started(container)
    if takes is not None and started and container.started is not False:
        unready = status.condition("ContainersReady")
        unready_since = parse_time(unready.last_transition_time) if unready else None
        times = (after(started, takes + EVENT_GRACE), after(unready_since or started, EVENT_GRACE))
        since = max((time for time in times if time), default=None)
        foreign = not advice.is_own(container)
        yield Cause(advice.probe(container), since=since, container=container.name, is_foreign=foreign)


def _ended(container: ContainerStatus) -> Terminated | None:
    return container.now.terminated or container.before.terminated


def _ran_well(ended: Terminated) -> bool:
    """Tell whether a container ran for so long before it ended that the kubelet had forgotten how it ended before."""
    started, finished = parse_time(ended.started_at), parse_time(ended.finished_at)
    never_ran = ended.reason in _NOT_STARTED
    return not never_ran and started is not None and finished is not None and _seconds(started, finished) >= FORGIVEN


def _seconds(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds()


def _times_ended(container: ContainerStatus) -> int:
    """Return how often a container has ended: the kubelet counts how often it was started again."""
    waiting = container.now.waiting
    is_down = container.now.terminated is not None or (waiting is not None and waiting.reason in _ENDED)
    return (container.restart_count or 0) + is_down


def _started(container: ContainerStatus) -> datetime | None:
    return parse_time(container.now.running.started_at) if container.now.running else None


def _forgiven(container: ContainerStatus) -> datetime | None:
    started = _started(container)
    return after(started, FORGIVEN) if started else None
