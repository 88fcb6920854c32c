"""The status: one word, the conditions, and what the Deployment shows. Nothing in it moves by itself."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from app.api.status import MAX_MESSAGE
from app.core.child_metadata import CONTAINER, selector
from app.core.desired.dependencies import State, Unmet
from app.core.listing import listing
from app.core.previous_status import Previous
from app.core.reasons import Outlook, Reason
from app.core.rollout import COMPLETE, min_available
from app.core.status.conditions import (
    AVAILABLE_NOW,
    DEPENDENCIES_MET,
    DEPENDENCIES_UNKNOWN,
    DEPENDENCIES_UNMET,
    NOT_AVAILABLE,
    NOT_YET_SEEN,
    ROLLED_OUT,
    ROLLOUT_LATE,
    ROLLOUT_ON,
    ROLLOUT_PAUSED,
    ROLLOUT_REFUSED,
    Observation,
)
from app.core.status.facts import Facts
from app.core.status.readiness import decide
from app.core.status.words import words
from metahook import Deployment

Json = dict[str, Any]

_KSTATUS = {Outlook.RECONCILING: "Reconciling", Outlook.STALLED: "Stalled"}
"""Conditions of kstatus, there only while True."""


def status(facts: Facts, previous: Previous) -> Json:
    """Return the status that *facts* show; transition times come from the *previous* one where nothing changed."""
    reason = decide(facts)
    message = reason.filled(words(facts))[:MAX_MESSAGE]
    is_ready = reason.outlook is Outlook.READY
    mark = _KSTATUS.get(reason.outlook)
    found = [
        Observation("Ready", "True" if is_ready else "False", reason.name, message),
        _available(facts),
        _progressing(facts),
        *([] if facts.waits is None else [_dependencies(facts.waits)]),
        *([Observation(mark, "True", reason.name, message)] if mark else []),
    ]
    ready_generation = facts.parent.generation if is_ready else previous.ready_generation
    optional = {
        "image": _image(facts.rollout.deployment),
        "readyGeneration": ready_generation,
        "waiting": {"what": facts.waiting_for, "since": _text(facts.waiting_since)} if facts.waiting_for else None,
    }
    return {
        "state": _state(facts, reason),
        "conditions": [_condition(observation, facts, previous) for observation in found],
        "replicas": _replicas(facts),
        "selector": ",".join(f"{key}={value}" for key, value in selector(facts.parent).items()),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _condition(seen: Observation, facts: Facts, previous: Previous) -> Json:
    return {
        "type": seen.condition,
        "status": seen.status,
        "reason": seen.reason,
        "message": seen.message,
        "observedGeneration": facts.parent.generation,
        "lastTransitionTime": previous.since(seen.condition, seen.status) or _text(facts.now),
    }


def _text(time: datetime) -> str:
    return time.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _state(facts: Facts, reason: Reason) -> str:
    if reason.outlook is Outlook.LEAVING:
        return "Terminating"
    if reason.outlook is Outlook.READY:
        return "Ready"
    if reason.outlook is Outlook.STALLED:
        return "Failed"
    return "Degraded" if facts.was_ready and not facts.is_rolling_out else "Building"


def _available(facts: Facts) -> Observation:
    """Mirror the Deployment's Available, less its unstable Pods: old Pods may serve during a bad rollout."""
    enough = facts.stable_pods is None or facts.stable_pods >= min_available(facts.rollout.deployment)
    return AVAILABLE_NOW if enough and facts.rollout.says("Available", "True") else NOT_AVAILABLE


def _progressing(facts: Facts) -> Observation:
    """Mirror the Deployment's Progressing, once it is about this spec: at first it still tells of the last rollout."""
    if facts.gap or facts.rollout.is_not_yet_observed or not facts.rollout.deployment:
        return NOT_YET_SEEN
    if facts.rollout.is_paused:
        return ROLLOUT_PAUSED
    if facts.unstable_for_long or facts.rollout.is_late:
        return ROLLOUT_LATE
    if facts.rollout.says("Progressing", "False"):
        return ROLLOUT_REFUSED
    if facts.rollout.says("Progressing", "Unknown"):
        return ROLLOUT_PAUSED
    complete = facts.rollout.says("Progressing", "True", COMPLETE)
    return ROLLED_OUT if complete and (facts.was_ready or facts.rollout.has_updated_all) else ROLLOUT_ON


def _dependencies(waits: list[Unmet]) -> Observation:
    """Say which dependencies are not met, and why."""
    if not waits:
        return DEPENDENCIES_MET
    if all(each.state is State.UNKNOWN for each in waits):
        return DEPENDENCIES_UNKNOWN
    message = DEPENDENCIES_UNMET.message.format(waits=listing(waits, "; "))[:MAX_MESSAGE]
    return replace(DEPENDENCIES_UNMET, message=message)


def _replicas(facts: Facts) -> int:
    """Return how many Pods there are, up to those asked for: surplus ones come and go with each step of a rollout.

    Pods that just failed are there, too, until they are replaced.
    """
    there = max(0, facts.rollout.status.replicas or 0) + facts.failed_pods
    return there if facts.problem else min(there, facts.rollout.replicas)


def _image(deployment: Deployment | None) -> str | None:
    """Return the image of the container main, as observed."""
    node: Any = (deployment and deployment.spec) or {}
    for step in ("template", "spec", "containers"):
        node = node.get(step) if isinstance(node, dict) else None
    containers = [item for item in node if isinstance(item, dict)] if isinstance(node, list) else []
    image = next((item.get("image") for item in containers if item.get("name") == CONTAINER), None)
    return image[:MAX_MESSAGE] if isinstance(image, str) and image else None
