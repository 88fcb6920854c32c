"""The status of the parent: one word, the conditions, and what the Deployment shows.

It changes only with what is observed, or at a deadline.

A Deployment changes the numbers of its ready and updated Pods in several steps for each Pod that it replaces. The
status has them as of when they were last written: with another change of the status; when the rollout has progressed by
a Pod, but beyond ten Pods not within ten seconds of the last time; and otherwise a minute after it.
"""

from datetime import datetime
from typing import NamedTuple

import msgspec

from app import Json
from app.api.scalars import MAX_MESSAGE
from app.core.child_metadata import SELECTOR_LABEL
from app.core.desired.replicas import ScheduleState
from app.core.facts import Facts
from app.core.previous_status import SKEW, PodCounts, ReachedState
from app.core.readiness import Decision
from app.core.reasons import SLEEPING, Outlook
from app.core.status.condition_type import ACT, WAIT, ParentCondition, Term
from app.core.status.conditions import CONDITIONS, TIMERS
from app.core.status.conditions.exposed import url
from app.core.status.transitions import transition_times
from app.core.timers import after, format_time
from metahook import Service

MANY = 10
"""Up to this number of Pods, progress is written immediately."""

INTERVAL = 10
"""Seconds between two writes beyond that."""

LATEST = 60
"""Seconds after which numbers are written that show no progress, such as after a loss."""


class ParentStatus(NamedTuple):
    """The fields of the status, and when they change without an event."""

    fields: Json
    timers: list[datetime | None]


def parent_status(facts: Facts, decision: Decision) -> ParentStatus:
    """Return the status that *facts* and the *decision* show.

    Transition times come from the previous one where nothing changed.
    """
    is_ready = decision.outlook is Outlook.READY
    conditions = _conditions(facts, decision)
    status: Json = {
        "state": _state(facts, decision),
        "conditions": [
            {
                "type": condition.type,
                "status": condition.status,
                "reason": condition.reason,
                "message": condition.message[:MAX_MESSAGE],
                "observedGeneration": facts.parent.generation,
                "lastTransitionTime": time,
            }
            for condition, time in zip(conditions, transition_times(facts, conditions), strict=True)
        ],
        "replicas": _replicas(facts),
        "selector": f"{SELECTOR_LABEL}={facts.parent.name}",
    }
    # Until the Deployment is observed, its Pods have the image that it had; another one would be a write of the status.
    if image := facts.previous_status.image if facts.was_just_written else facts.rollout.image:
        status["image"] = image[:MAX_MESSAGE]
    if facts.desired.exposure and ("Exposed", "True") in [(each.type, each.status) for each in conditions]:
        status["url"] = url(facts.desired.exposure)
    if address := _address(facts):
        status["address"] = address
    ready_generation = facts.parent.generation if is_ready else facts.previous_status.ready_generation
    if ready_generation is not None:
        status["readyGeneration"] = ready_generation
    if facts.desired.schedule and not facts.parent.deleting:
        status["schedule"] = _schedule(facts, facts.desired.schedule, is_ready=is_ready)
    if facts.wait.what:
        status["waiting"] = {"what": facts.wait.what, "since": format_time(facts.wait.since)}
    if facts.overriding.last:
        status["override"] = msgspec.to_builtins(facts.overriding.last)
    counts, due = _pod_counts(facts, status, ready_by=decision.awaits_records_until)
    timers = [due, *[time for changes_at in TIMERS for time in changes_at(facts, decision)]]
    return ParentStatus({**status, **counts}, [] if facts.parent.deleting else timers)


def _conditions(facts: Facts, decision: Decision) -> list[ParentCondition]:
    conditions = []
    for each in CONDITIONS:
        outlook, is_about = each.TYPE.outlook, each.TYPE.is_about
        is_present = outlook is None or outlook is decision.outlook
        if is_present and (is_about is None or is_about(facts)) and (condition := each.decide(facts, decision)):
            conditions.append(condition)
    return conditions


STATES = (
    Term(
        "Building",
        "A rollout is in progress, or this generation has not been Ready yet.",
        WAIT,
        "it is created, its spec or its configuration changes, or its Deployment is changed back to the spec",
    ),
    Term(
        "Ready",
        "The Ready condition is True.",
        "No action is needed.",
        "the rollout is complete, or lost Pods are replaced",
    ),
    Term(
        "Sleeping",
        "The Ready condition is True, and spec.schedule keeps the Pods stopped, or fewer of them running.",
        "No action is needed. It wakes up at this time: kubectl get myresource NAME "
        "-o jsonpath='{.status.schedule.nextTransition}'",
        "a window of its [schedule](../apps/schedule.md) has begun, and all Pods above its number are deleted",
    ),
    Term(
        "Degraded",
        "The MyResource was Ready at this generation but no longer is, and no rollout is in progress: Pods were lost "
        "or keep failing, a ConfigMap or Secret that they use does not exist, or a child was deleted.",
        ACT,
        "a Pod, a child, or a ConfigMap or Secret that it uses is lost while the state is Ready",
    ),
    Term(
        "Failed",
        "The MyResource can't become Ready without action. The Stalled condition is True.",
        ACT,
        "a reason that needs action holds: InvalidSpec immediately, NotApplied after a minute, others after "
        "`progressDeadlineSeconds`",
    ),
    Term(
        "Suspended",
        "spec.suspend is true: no object is created, changed or deleted, and Ready is Unknown.",
        'Resume it: kubectl patch myresource NAME --type=merge -p \'{"spec":{"suspend":false}}\'',
        "`suspend` becomes true; it ends once `suspend` is removed or false",
    ),
    Term(
        "Terminating",
        "The MyResource is being deleted.",
        "Wait. Its children are deleted with it.",
        "it is deleted; a finalizer can keep it in this state",
    ),
)
"""The words of ``status.state``."""

TERMS: tuple[Term, ...] = (*STATES, *(each.TYPE for each in CONDITIONS))


def _state(facts: Facts, decision: Decision) -> str:
    if decision.outlook is Outlook.TERMINATING:
        return "Terminating"
    if decision.outlook is Outlook.SUSPENDED:
        return "Suspended"
    if decision.outlook is Outlook.READY:
        return "Sleeping" if decision.reason is SLEEPING else "Ready"
    if decision.outlook is Outlook.STALLED:
        return "Failed"
    is_rolling_out = facts.is_rolling_out or decision.awaits_records_until is not None
    return "Degraded" if facts.was_ready and not is_rolling_out else "Building"


def _replicas(facts: Facts) -> int:
    """Return how many Pods exist. Pods that just failed exist, too, until they are replaced."""
    return _without_surplus(facts, max(0, facts.rollout.existing) + facts.diagnosis.failed_pods)


def _without_surplus(facts: Facts, pods: int) -> int:
    """Return the number of *pods*, up to the desired one: the extra Pods of a rollout are not counted."""
    is_of_another_spec = facts.desired.is_kept or facts.wait.is_keeping_newer_children
    return max(0, pods) if is_of_another_spec else max(0, min(pods, facts.rollout.replicas))


def _schedule(facts: Facts, schedule: ScheduleState, *, is_ready: bool) -> Json:
    """Return the state that was reached last, which the next sync compares, and when the schedule changes it next."""
    reached = None if is_ready else facts.previous_status.reached_state
    state = reached or ReachedState(schedule.name, schedule.replicas)
    transition = schedule.next_transition.isoformat(timespec="seconds").replace("+00:00", "Z")
    return {**msgspec.to_builtins(state), "nextTransition": transition}


def _address(facts: Facts) -> str | None:
    """Return the address of the observed Service inside the cluster, with the first port of the spec.

    Without such a port, as while the spec is invalid, the address stays. The order of the observed ports tells nothing:
    Metacontroller's dynamic-apply leaves those that are there in their order.
    """
    service = facts.children.get(Service, facts.parent.name)
    if service is None:
        return None
    observed: Json = service.spec or {}
    targets = _targets(observed.get("ports"))
    if not targets:
        return None
    spec = facts.desired.spec
    first = spec.ports[0] if spec and spec.ports and spec.ports[0].in_service in targets else None
    if first is None and facts.previous_status.address:
        return facts.previous_status.address
    number = first.in_service if first else min(targets)
    # The name of a headless Service has the addresses of the Pods, which know nothing of its ports.
    if observed.get("clusterIP") == "None":
        target = targets[number]
        number = target if isinstance(target, int) else first.container_port if first else number
    return f"{facts.parent.name}.{facts.parent.namespace}.svc:{number}"


def _targets(ports: object) -> dict[int, object]:
    """Return the target of each of the observed *ports*, which can be any JSON, by its number."""
    items = [port for port in ports if isinstance(port, dict)] if isinstance(ports, list) else []
    return {port["port"]: port.get("targetPort") for port in items if isinstance(port.get("port"), int)}


def _pod_counts(facts: Facts, rest: Json, *, ready_by: datetime | None) -> tuple[Json, datetime | None]:
    """Return the numbers that *facts* show, or the previous ones if it is too early, and when others will be written.

    At rest there is no time: the next change is written immediately. If Ready is about to become True, in a moment or
    *ready_by* this time, they are written with it. *rest* is all else of the status.
    """
    observed, previous = _observed(facts), facts.previous_status.pod_counts
    if previous is None:
        return _counted(observed, None), None
    counted_at = facts.previous_status.counted_at
    if observed != previous:
        due = ready_by or _due(facts, observed, previous, rest["replicas"])
        if due and due > facts.now and facts.previous_status.resembles(rest):
            return _counted(previous, counted_at), due
        counted_at = facts.now
    is_at_rest = rest["state"] in {"Ready", "Sleeping"} and observed == (rest["replicas"], rest["replicas"])
    return _counted(observed, None if is_at_rest else counted_at), None


def _counted(counts: PodCounts, at: datetime | None) -> Json:
    updated = {} if counts.updated is None else {"updatedReplicas": counts.updated}
    return {"readyReplicas": counts.ready, **updated, **({"countedAt": format_time(at)} if at else {})}


def _observed(facts: Facts) -> PodCounts:
    """Return the numbers of Pods, without surplus ones and ones that keep failing."""
    rollout, stable = facts.rollout, facts.diagnosis.stable_pods
    ready = rollout.ready if stable is None else min(rollout.ready, stable)
    desired, is_outdated = facts.desired, facts.wait.is_keeping_newer_children or facts.deployment_drift
    is_of_another_spec = desired.is_kept or desired.is_rolled_back or is_outdated
    is_known = rollout.deployment and not is_of_another_spec and not facts.is_not_yet_observed
    return PodCounts(_without_surplus(facts, ready), _without_surplus(facts, rollout.updated) if is_known else None)


def _due(facts: Facts, observed: PodCounts, previous: PodCounts, replicas: int) -> datetime | None:
    """Return when to write the *observed* numbers if nothing else changes; None if immediately."""
    counted_at = facts.previous_status.counted_at
    if counted_at is None or (counted_at - facts.now).total_seconds() > SKEW:
        return None
    # Updated Pods that are not known any more can be of another spec.
    if observed.updated is None and previous.updated is not None:
        return None
    # With a single Pod the rollout is complete once it is ready, which is written anyway.
    is_progress = replicas > 1 and observed.progress(replicas) > previous.progress(replicas)
    # Once an autoscaler's Pods are all ready, the loss of one counts.
    if is_progress and (replicas <= MANY or (facts.is_scaling and observed == (replicas, replicas))):
        return None
    return after(counted_at, 1 + (INTERVAL if is_progress else LATEST))  # the status has it in whole seconds
