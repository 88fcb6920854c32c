"""The status: one word, the conditions, and what the Deployment shows. Nothing in it moves by itself."""

from datetime import datetime
from typing import Any

from app.api.status import MAX_MESSAGE
from app.core.identity import CONTAINER, selector
from app.core.previous import Previous
from app.core.readiness import Facts, decide
from app.core.reasons import INVALID_SPEC, Outlook, Reason
from app.hooks import Deployment

Json = dict[str, Any]


def status(facts: Facts, previous: Previous, now: datetime) -> Json:
    """Return the status that *facts* show; transition times come from the *previous* one where nothing changed."""
    reason = decide(facts)
    message = reason.message.format(**facts.words())[:MAX_MESSAGE]
    ready = "True" if reason.outlook is Outlook.READY else "False"
    found = [
        ("Ready", ready, reason.name, message),
        ("Available", *_available(facts)),
        ("Progressing", *_progressing(facts, reason)),
    ]
    if reason.outlook is Outlook.RECONCILING:
        found.append(("Reconciling", "True", reason.name, message))
    if reason.outlook is Outlook.STALLED:
        found.append(("Stalled", "True", reason.name, message))
    image = _image(facts.deployment)
    return {
        "state": _state(facts, reason),
        "conditions": [
            {
                "type": kind,
                "status": value,
                "reason": why,
                "message": text,
                "observedGeneration": facts.parent.generation,
                "lastTransitionTime": _since(kind, value, previous, now),
            }
            for kind, value, why, text in found
        ],
        "replicas": max(0, facts.status.replicas or 0),
        "selector": ",".join(f"{key}={value}" for key, value in selector(facts.parent).items()),
        **({"image": image} if image else {}),
    }


def _state(facts: Facts, reason: Reason) -> str:
    if reason.outlook is Outlook.LEAVING:
        return "Terminating"
    if reason.outlook is Outlook.READY:
        return "Ready"
    if reason.outlook is Outlook.STALLED:
        return "Failed"
    return "Degraded" if facts.was_ready else "Building"


def _available(facts: Facts) -> tuple[str, str, str]:
    """Mirror the Deployment's Available: old Pods may serve during a bad rollout."""
    if facts.deployment_says("Available", "True"):
        return "True", "MinimumReplicasAvailable", "Enough Pods are available to serve."
    return "False", "MinimumReplicasUnavailable", "Not enough Pods are available to serve."


def _progressing(facts: Facts, reason: Reason) -> tuple[str, str, str]:
    """Mirror the Deployment's Progressing; Unknown for as long as it does not carry this spec.

    Its transition to Unknown is when the gap opened: :mod:`app.core.sync` counts from there.
    """
    if reason is INVALID_SPEC:
        return "False", INVALID_SPEC.name, "Nothing is changed while the spec is invalid."
    if facts.gap:
        return "Unknown", "NotYetWritten", "The children do not carry this spec yet."
    if facts.deployment_says("Progressing", "False"):
        return "False", reason.name, "The rollout does not go on."
    if reason.outlook is Outlook.READY:
        return "True", "RolledOut", "The rollout is complete."
    return "True", "RollingOut", "The rollout goes on."


def _since(kind: str, value: str, previous: Previous, now: datetime) -> str:
    """Return when the condition *kind* became *value*, as RFC 3339."""
    before = previous.condition(kind)
    if before and before.status == value and before.since:
        return before.last_transition_time
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def _image(deployment: Deployment | None) -> str | None:
    """Return the image of the container main, as observed."""
    node: Any = (deployment and deployment.spec) or {}
    for step in ("template", "spec", "containers"):
        node = node.get(step) if isinstance(node, dict) else None
    containers = [item for item in node if isinstance(item, dict)] if isinstance(node, list) else []
    image = next((item.get("image") for item in containers if item.get("name") == CONTAINER), None)
    return image[:MAX_MESSAGE] if isinstance(image, str) else None
