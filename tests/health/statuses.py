"""MyResources with the statuses that the hook writes: those of the recorded traffic and of all scenarios.

To each comes what a tool can observe between two writes: the same object after an edit, and without its status.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.objects import to_json
from metahook.simulator.scenarios import run_scenario
from tests.examples.test_scenarios import SCENARIOS, world
from tests.recorded.traffic import load

Json = dict[str, Any]


@cache
def myresources() -> tuple[Json, ...]:
    """Return all of them, each once."""
    written = [*_written()]
    edited = [
        {**item, "metadata": {**item["metadata"], "generation": item["metadata"]["generation"] + 1}} for item in written
    ]
    new = [{key: value for key, value in item.items() if key != "status"} for item in written]
    return tuple({to_json(item): item for item in (*written, *edited, *new, {**new[0], "status": {}})}.values())


def is_current(item: Json) -> bool:
    """Return whether the status is of the current generation."""
    return bool(item.get("status") and item["status"]["observedGeneration"] == item["metadata"]["generation"])


def is_true(item: Json, name: str) -> bool:
    """Return whether the condition *name* is True for the current generation."""
    return is_current(item) and condition(item, name) == "True"


def condition(item: Json, name: str) -> str | None:
    """Return the status of the condition *name*."""
    return _condition(item, name).get("status")


def message(item: Json) -> str:
    """Return the message of Ready."""
    return str(_condition(item, "Ready")["message"])


def _condition(item: Json, name: str) -> Json:
    conditions = item.get("status", {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == name), {})


def current(reason: str) -> Json:
    """Return a MyResource whose Ready has the *reason*, for the current generation."""
    return next(item for item in _written() if is_current(item) and _condition(item, "Ready")["reason"] == reason)


def _written() -> Iterator[Json]:
    """Yield what was recorded, with the status that was answered, as Metacontroller writes it; then what is simulated.

    Short scenarios come first, since one may be enough.
    """
    for each in load():
        if each.path == "/sync":
            generation = each.parent["metadata"]["generation"]
            yield {**each.parent, "status": {**each.answer["status"], "observedGeneration": generation}}
    for name in sorted(SCENARIOS, key=lambda name: len(SCENARIOS[name].steps)):
        yield from _simulated(name)


@cache
def _simulated(name: str) -> list[Json]:
    """Return the parents of the scenario *name* after each status write."""
    told = SCENARIOS[name]
    cluster = world(told, told.mode or MODES[0])
    list(run_scenario(told, cluster))
    return [
        {field: write.after[field] for field in ("apiVersion", "kind", "metadata", "spec", "status")}
        for write in cluster.history.writes()
        if write.key.kind == "MyResource" and write.after and write.after.get("status")
    ]


def kstatus(item: Json) -> str:
    """Return Terminating, InProgress, Failed or Current, by the rules of kstatus for kinds that it does not know.

    Source: ``Compute`` in ``pkg/kstatus/status`` of cli-utils; ``make test-tools`` compares this with the original.
    """
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
