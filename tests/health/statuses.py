"""MyResources with the statuses that the hook writes: those of the recorded traffic and of all scenarios.

To each comes what a tool can observe between two writes: the same object after an edit, and without its status.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.objects import to_json
from metahook.simulator.scenarios.runner import run_scenario
from tests.examples.test_scenarios import SCENARIOS, world
from tests.recorded.traffic import load

Json = dict[str, Any]


@cache
def myresources() -> tuple[Json, ...]:
    """Return all of them, each once."""
    written = [*_written()]
    edited = [{**item, "metadata": {**item["metadata"], "generation": _generation(item) + 1}} for item in written]
    new = [{key: value for key, value in item.items() if key != "status"} for item in written]
    return tuple({to_json(item): item for item in (*written, *edited, *new, {**new[0], "status": {}})}.values())


def is_ready(item: Json) -> bool:
    """Return whether the condition Ready is True for the current generation."""
    return condition(item, "Ready") == "True" and is_current(item)


def is_stalled(item: Json) -> bool:
    """Return whether the condition Stalled is True for the current generation."""
    return condition(item, "Stalled") == "True" and is_current(item)


def is_suspended(item: Json) -> bool:
    """Return whether the state is Suspended, for the current generation."""
    return is_current(item) and item["status"]["state"] == "Suspended"


def current(reason: str) -> Json:
    """Return a MyResource whose Ready has the *reason*, for the current generation."""
    return next(item for item in _written() if is_current(item) and _ready(item)["reason"] == reason)


def condition(item: Json, name: str) -> str | None:
    """Return the status of the condition *name*."""
    conditions = item.get("status", {}).get("conditions", [])
    return next((each["status"] for each in conditions if each["type"] == name), None)


def message(item: Json) -> str:
    """Return the message of Ready."""
    return str(_ready(item)["message"])


def _ready(item: Json) -> Json:
    (found,) = (each for each in item["status"]["conditions"] if each["type"] == "Ready")
    return dict(found)


def is_current(item: Json) -> bool:
    """Return whether the status is of the current generation."""
    return bool(item.get("status") and item["status"]["observedGeneration"] == _generation(item))


def _generation(item: Json) -> int:
    found: int = item["metadata"]["generation"]
    return found


def _written() -> Iterator[Json]:
    """Yield what was recorded, then what is simulated: short scenarios first, since one may be enough."""
    yield from _recorded()
    for name in sorted(SCENARIOS, key=lambda name: len(SCENARIOS[name].steps)):
        yield from _simulated(name)


def _recorded() -> Iterator[Json]:
    """Yield the recorded parents with the status that was answered, as Metacontroller writes it."""
    for each in load():
        if each.path == "/sync":
            status = {**each.answer["status"], "observedGeneration": _generation(each.parent)}
            yield {**each.parent, "status": status}


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
