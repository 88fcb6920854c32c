"""Reads the state, reason and conditions of a status."""

from metahook.simulator.objects import Json


def condition(item: Json, kind: str) -> Json:
    """Return the condition of type *kind*, empty if there is none."""
    found: list[Json] = item.get("status", {}).get("conditions", [])
    return next((each for each in found if each["type"] == kind), {})


def state_and_reason(item: Json) -> tuple[str, str]:
    """Return the state and the reason; empty if they are about an older generation."""
    status, generation = item.get("status", {}), item["metadata"]["generation"]
    if status.get("observedGeneration") != generation:
        return "", ""
    return status["state"], condition(item, "Ready")["reason"]
