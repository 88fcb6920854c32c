"""The status of the parent: one word, the conditions, and what the Deployment shows.

It changes only with what is observed, or at a deadline.
"""

from dataclasses import replace
from typing import Annotated

import msgspec

from app import Json
from app.api.status import MAX_MESSAGE
from app.core.child_metadata import SELECTOR_LABEL
from app.core.desired.dependencies import State, Unmet
from app.core.desired.replicas import ScheduleState
from app.core.reasons import SLEEPING, Outlook, linked
from app.core.rollout import min_available
from app.core.status.autoscaling import autoscaling_condition
from app.core.status.conditions import (
    AVAILABLE_NOW,
    DEPENDENCIES_MET,
    DEPENDENCIES_UNKNOWN,
    DEPENDENCIES_UNMET,
    FOREIGN_FIELDS,
    NOT_AVAILABLE,
    NOT_YET_OBSERVED,
    OF_ANOTHER_SPEC,
    OPERATOR_MISCONFIGURED,
    ROLLED_OUT,
    ROLLOUT_IN_PROGRESS,
    ROLLOUT_LATE,
    ROLLOUT_PAUSED,
    ROLLOUT_REFUSED,
    ParentCondition,
)
from app.core.status.exposed import exposed, url
from app.core.status.facts.facts import Facts
from app.core.status.facts.previous_status import ReachedState
from app.core.status.messages import foreign_message, listing, message
from app.core.status.readiness import Decision
from app.core.status.transitions import Transitions
from app.core.timers import format_time
from app.core.watch import Watch
from metahook import Service, try_read_fields

_READY = {Outlook.READY: "True", Outlook.SUSPENDED: "Unknown"}
"""The status of the condition Ready, where it is not False."""


def parent_status(facts: Facts, decision: Decision, docs_url: str) -> Json:
    """Return the status that *facts* and the *decision* show, without the numbers of ready and updated Pods.

    Transition times come from the previous one where nothing changed.

    A message names a page only if *docs_url* is set: users of a cluster have no files of the repository.
    """
    is_ready = decision.outlook is Outlook.READY
    transitions = Transitions(facts)
    conditions = _conditions(facts, decision, docs_url)
    status: Json = {
        "state": _state(facts, decision),
        "conditions": [_with_time(condition, facts.parent.generation, transitions) for condition in conditions],
        "replicas": _replicas(facts),
        "selector": f"{SELECTOR_LABEL}={facts.parent.name}",
    }
    if image := facts.rollout.image:
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
    return status


def _conditions(facts: Facts, decision: Decision, docs_url: str) -> list[ParentCondition]:
    reason, text = decision.reason.name, message(decision, facts)[:MAX_MESSAGE]
    conditions = [
        ParentCondition("Ready", _READY.get(decision.outlook, "False"), reason, text),
        _available(facts),
        _progressing(facts, decision),
    ]
    if facts.desired.unmet_dependencies is not None:
        conditions.append(_dependencies(facts.desired.unmet_dependencies))
    if facts.desired.replicas.is_autoscaled:
        conditions.append(autoscaling_condition(facts))
    if facts.desired.exposure is not None:
        conditions.append(exposed(facts, facts.desired.exposure))
    # These two are conditions of kstatus, present only while True.
    if decision.outlook is Outlook.RECONCILING:
        conditions.append(ParentCondition("Reconciling", "True", reason, text))
    elif decision.outlook is Outlook.STALLED:
        conditions.append(ParentCondition("Stalled", "True", reason, text))
    if facts.foreign:
        conditions.append(replace(FOREIGN_FIELDS, message=foreign_message(facts.foreign)))
    if facts.installation:
        finding = facts.installation[0]
        misconfigured = OPERATOR_MISCONFIGURED[finding]
        named = finding.message if docs_url == Watch.docs_url else linked(misconfigured.message, docs_url)
        conditions.append(replace(misconfigured, message=named[:MAX_MESSAGE]))
    return conditions


def _with_time(condition: ParentCondition, generation: int, transitions: Transitions) -> Json:
    return {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "observedGeneration": generation,
        "lastTransitionTime": transitions.since(condition),
    }


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


def _available(facts: Facts) -> ParentCondition:
    """Mirror the Deployment's Available, less its unstable Pods: old Pods may serve during a bad rollout."""
    if facts.is_scaling:
        return AVAILABLE_NOW
    stable_pods = facts.diagnosis.stable_pods
    is_enough = stable_pods is None or stable_pods >= min_available(facts.rollout.deployment)
    return AVAILABLE_NOW if is_enough and facts.rollout.is_available else NOT_AVAILABLE


def _progressing(facts: Facts, decision: Decision) -> ParentCondition:
    """Mirror the Deployment's Progressing, once it is about this spec: at first it still describes the last rollout."""
    rollout = facts.rollout
    drift = facts.deployment_drift
    if drift or facts.is_not_yet_observed or not rollout.deployment:
        is_written = drift and (drift.path or drift.removal or drift.is_from_newer_generation)
        return OF_ANOTHER_SPEC if is_written else NOT_YET_OBSERVED
    if rollout.is_paused_midway or rollout.progressing == "Unknown":
        return ROLLOUT_PAUSED
    if facts.deadlines.is_stability_late or rollout.is_late:
        return ROLLOUT_LATE
    if rollout.progressing == "False":
        return ROLLOUT_REFUSED
    if decision.awaits_records_until:  # it ends when Ready becomes True, in one write of the status
        is_news = not facts.template_records.is_kept and facts.previous_status.has("Progressing", "Unknown")
        return NOT_YET_OBSERVED if is_news else ROLLOUT_IN_PROGRESS
    return _of_rollout(facts)


def _of_rollout(facts: Facts) -> ParentCondition:
    """Return how the rollout goes on, or that it is complete."""
    rollout = facts.rollout
    if rollout.is_complete and (facts.was_ready or rollout.has_updated_all):
        return ROLLED_OUT
    # Without a Pod of the new template, a complete rollout is the last one.
    # Reporting it as in progress would cost an extra write.
    return NOT_YET_OBSERVED if rollout.is_complete and rollout.has_updated_none else ROLLOUT_IN_PROGRESS


def _dependencies(unmet: list[Unmet]) -> ParentCondition:
    """Say which dependencies are not met, and why."""
    if not unmet:
        return DEPENDENCIES_MET
    if all(dependency.state is State.UNKNOWN for dependency in unmet):
        return DEPENDENCIES_UNKNOWN
    return replace(
        DEPENDENCIES_UNMET, message=DEPENDENCIES_UNMET.message.format(dependencies=listing(unmet, "; "))[:MAX_MESSAGE]
    )


def _replicas(facts: Facts) -> int:
    """Return how many Pods exist. Pods that just failed exist, too, until they are replaced."""
    return facts.without_surplus(max(0, facts.rollout.existing) + facts.diagnosis.failed_pods)


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
    observed: Json = (service and service.spec) or {}
    targets = _targets(observed.get("ports"))
    if not targets:
        return None
    spec = facts.desired.spec
    first = spec.ports[0] if spec and spec.ports and spec.ports[0].in_service in targets else None
    if first is None and (earlier := try_read_fields(facts.parent.status, _Address).address):
        return earlier
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


class _Address(msgspec.Struct, frozen=True):
    address: Annotated[str, msgspec.Meta(max_length=253)] | None = None
