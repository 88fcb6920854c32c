"""StatefulSets in the simulator: their Pods, which are not simulated, follow each change."""

from typing import Any

from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.controllers import decorator, item, resource
from toolkit.hooks.service_per_object import SERVICES

DB = Key("StatefulSet", "default", "db")


def stateful_set(**fields: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "db:1"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "serviceName": "db", "template": template, **fields}
    return item("apps/v1", "StatefulSet", "db", "default", spec=spec)


def counts(made: World) -> tuple[int | None, int | None]:
    """Return the generation that the status is about, and how many Pods are ready."""
    status = made.get(DB).get("status") or {}
    return status.get("observedGeneration"), status.get("readyReplicas")


def world() -> World:
    """Return a world whose hook is about other objects."""
    settings = Settings.read(decorator("none", [resource("v1", "secrets", None)], resource("v1", "services")))
    return World(SERVICES, settings)


def test_the_pods_of_a_stateful_set_are_ready_a_second_after_a_change() -> None:
    made = world()
    made.apply(stateful_set())
    assert counts(made) == (None, None)
    made.run(1)
    assert counts(made) == (1, 1)

    made.apply(stateful_set(replicas=3))
    assert counts(made) == (1, 1)
    made.run(1)
    assert counts(made) == (2, 3)

    writes = len(list(made.history.writes()))
    made.run(60)
    assert len(list(made.history.writes())) == writes


def test_a_stateful_set_may_be_gone_before_its_pods_are_ready() -> None:
    made = world()
    made.apply(stateful_set())
    made.delete(DB)

    made.until_quiet()

    assert made.api.get(DB) is None
