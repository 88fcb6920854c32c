"""What a spec does not use costs nothing: the sync of the smallest MyResource calls nothing of any optional field."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import pytest

from app.api.spec import MyResourceSpec
from app.core.controller import controller
from app.core.desired import config_hash, dependencies, exposure, rollback
from app.core.desired.children import CHILDREN, propagated, with_propagated
from app.core.desired.desired_state import left_as_observed
from app.core.desired.exposure import http_route, ingress
from app.core.desired.memo import GenerationMemo
from app.core.desired.replicas import Replicas, autoscaler, budget, schedule_state
from app.core.facts import Wait, may_have_scaled, shows_scaling
from app.core.previous_status import PreviousStatus
from app.core.response_children import _next_rollback
from app.core.rollout import Rollout
from app.core.status.conditions import autoscaling_active, dependencies_ready, exposed
from app.core.watch import Watch
from metahook import Children, CustomizeRequest, SyncRequest
from metahook.protocol.request_builder import customize_request, sync_request
from tests.requests.builders import NOW, Json, finished, grouped, my_resource

SMALLEST: Json = {"podDisruptionBudget": "Disabled"}
WATCH = Watch(pods=True, secrets=True)

CODE: dict[str, tuple[tuple[ModuleType | Callable[..., Any], ...], Json]] = {
    "autoscaling": (
        (autoscaler, autoscaling_active, shows_scaling, may_have_scaled),
        {"autoscaling": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 50}, "cpu": "1"},
    ),
    "schedule": (
        (schedule_state,),
        {"schedule": {"timeZone": "UTC", "sleep": [{"days": ["Sat"], "from": "20:00", "to": "22:00"}]}},
    ),
    "rollback": ((rollback, _next_rollback), {"rollback": {"mode": "LastReady"}}),
    "expose": ((exposure, exposed), {"expose": {"host": "a.example.com"}, "ports": [{"containerPort": 80}]}),
    "propagate": ((propagated, with_propagated), {"propagate": {"labels": ["team"]}}),
    "dependencies": (
        (dependencies, dependencies_ready),
        {"dependencies": [{"apiVersion": "v1", "resource": "configmaps", "name": "a", "condition": "Ready"}]},
    ),
    "configuration": ((config_hash,), {"envFrom": [{"configMapRef": {"name": "a"}}]}),
    "podDisruptionBudget": ((budget,), {"podDisruptionBudget": "Auto"}),
}
"""By field: the code that is for it alone, and a spec that uses it."""


def raising(*_: object, **__: object) -> NoReturn:
    message = "called for a spec that does not use it"
    raise AssertionError(message)


def functions(module: ModuleType | Callable[..., Any]) -> list[Any]:
    """Return the functions and methods of *module*, those of properties included; or itself if it is a function."""
    if not isinstance(module, ModuleType):
        return [module]
    own = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    found = [inner for value in own for inner in (vars(value).values() if isinstance(value, type) else [value])]
    plain = [getattr(inner, "fget", None) or getattr(inner, "func", None) or inner for inner in found]
    return [each for each in plain if isinstance(each, FunctionType) and each.__code__.co_filename == module.__file__]


def sync_whole_life(spec: Json) -> None:
    """Ask for the first sync of a MyResource with *spec*, for a later one, and for its related rules."""
    parent = my_resource(**spec)
    asked = controller(WATCH, GenerationMemo())
    asked.handle_customize(customize_request(parent))
    for children in ([], finished(parent)):
        asked.handle_sync(sync_request(parent, grouped(*children), {}), NOW)


@pytest.mark.parametrize("field", CODE)
def test_the_smallest_myresource_calls_nothing_of_a_field(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in CODE[field][0]:
        assert functions(module)
        for function in functions(module):
            monkeypatch.setattr(function, "__code__", raising.__code__)

    sync_whole_life(SMALLEST)

    with pytest.raises(AssertionError, match="does not use it"):
        sync_whole_life({**SMALLEST, **CODE[field][1]})


def test_without_its_field_there_is_no_manifest_and_nothing_to_propagate() -> None:
    parent = CustomizeRequest.decode(customize_request(my_resource())).parent
    spec = MyResourceSpec.model_validate({"image": "nginx", "memory": "64Mi"})
    makers = (autoscaler, ingress, http_route)

    assert [make(parent, spec, Replicas(1)) for make in makers] == [None, None, None]
    assert propagated(parent, spec) == {}


def test_what_waits_for_no_child_has_no_timer() -> None:
    parent = CustomizeRequest.decode(customize_request(my_resource())).parent

    assert Wait(None, None, Rollout(None, 1), parent, PreviousStatus(parent), NOW).timers() == []


def test_a_child_that_is_gone_is_left_as_it_was_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    request = SyncRequest.decode(sync_request(my_resource(), grouped(*finished(my_resource())), {}), CHILDREN)
    children = request.children
    monkeypatch.setattr(Children, "find", lambda *_: None)

    assert left_as_observed(request.parent, children) == children.kept()
