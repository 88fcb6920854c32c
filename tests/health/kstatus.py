"""The rules of kstatus for kinds that it does not know, as a function of an object.

Source: ``Compute`` in ``pkg/kstatus/status`` of cli-utils; ``make test-tools`` compares this with the original.
"""

from typing import Any

Json = dict[str, Any]


def status(item: Json) -> str:
    """Return Terminating, InProgress, Failed or Current."""
    if item["metadata"].get("deletionTimestamp"):
        return "Terminating"
    observed = item.get("status", {}).get("observedGeneration")
    if observed is not None and observed != item["metadata"]["generation"]:
        return "InProgress"
    conditions = {each["type"]: each["status"] for each in item.get("status", {}).get("conditions", [])}
    for name, value in conditions.items():  # the first of the two decides
        if name in _ABNORMAL and value == "True":
            return _ABNORMAL[name]
    return "Current" if conditions.get("Ready", "True") == "True" else "InProgress"


_ABNORMAL = {"Reconciling": "InProgress", "Stalled": "Failed"}
