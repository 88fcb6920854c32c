"""A beginner's mistakes, each with what is said of it: in ``Controller(...)``, or in the first unit test."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import pytest

from metahook import (
    ConfigMap,
    Controller,
    ImpureHook,
    Kind,
    Manifest,
    MisusedController,
    Namespace,
    RefusedResponse,
    Service,
    SyncRequest,
    SyncResponse,
    set_condition,
)
from toolkit.hooks.minimal import PARENT, TINY

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
STATUS = {"state": "Ready"}
SHARED: Manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {}}
NUMBERS = itertools.count()


def config_map(**fields: Any) -> Manifest:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **fields}


def listing(*children: Any, **fields: Any) -> Callable[..., SyncResponse]:
    return lambda _, __: SyncResponse(STATUS, list(children), **fields)


def appends_to_a_default(_: SyncRequest, __: datetime, names: list[str] = []) -> SyncResponse:  # noqa: B006 - the mistake
    names.append("a")
    return SyncResponse({"names": list(names)})


def shares_a_template(request: SyncRequest, _: datetime) -> SyncResponse:
    SHARED["data"][request.parent.name] = "x"
    return SyncResponse(STATUS, [SHARED])


def forgets_to_return(_: SyncRequest, __: datetime) -> SyncResponse:  # type: ignore[return] # the mistake
    SyncResponse(STATUS)


def counts_syncs(request: SyncRequest, _: datetime) -> SyncResponse:
    return SyncResponse({"syncs": (msgspec.json.decode(request.parent.status) or {"syncs": 0})["syncs"] + 1})


def counts_days(_: SyncRequest, now: datetime) -> SyncResponse:
    return SyncResponse({"isLate": now > NOW + timedelta(minutes=5)})


REFUSED: dict[str, tuple[Callable[..., Any], str, str]] = {
    "an empty status": (
        lambda _, __: SyncResponse({}),
        "no status",
        "SyncResponse needs a status: it replaces the whole observed one",
    ),
    "null in a child": (
        listing(config_map(data={"a": None})),
        "a null, or what JSON can't say, in a child",
        "ConfigMap a: data.a is null: leave the field out",
    ),
    "a datetime": (
        listing(config_map(data={"at": [NOW]})),
        "a null, or what JSON can't say, in a child",
        "ConfigMap a: data.at[0] is a datetime: write it as JSON",
    ),
    "infinity": (
        lambda _, __: SyncResponse({"share": float("inf")}),
        "a null, or what JSON can't say, in the status",
        "status.share is inf, no number of JSON",
    ),
    "one name twice": (
        listing(config_map(), config_map()),
        "two children of one kind and name",
        "two children ConfigMap.v1 a in namespace default: list each one once",
    ),
    "another apiVersion": (
        listing(config_map(apiVersion="core/v1")),
        "a child of an undeclared API version: ConfigMap is declared as v1",
        "ConfigMap a: its apiVersion is v1, not core/v1",
    ),
    "no kind": (
        listing({"apiVersion": "v1", "metadata": {"name": "a"}}),
        "a child without kind",
        "a child a has no kind",
    ),
    "an undeclared kind": (
        listing(config_map(kind="Secret")),
        "a child of an undeclared kind: add Secret to children= of the Controller",
        "a child of an undeclared kind: add Secret to children= of the Controller",
    ),
    "a name without metadata": (
        listing({"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}),
        "a child that is not an object",
        "ConfigMap without a name is not an object with metadata",
    ),
    "half a second": (
        listing(resync_after=0.5),
        "a resync that is not a whole number of seconds",
        "resync_after is 0.5: write whole seconds, as a hook that is called more often than once a second keeps",
    ),
    "a copy of what is observed": (
        listing(config_map(metadata={"name": "a", "uid": "u", "resourceVersion": "1"})),
        "a child with a field that only Metacontroller or the API server sets",
        "ConfigMap a: remove metadata.resourceVersion",
    ),
    "an iterator": (
        lambda _, __: SyncResponse(STATUS, map(config_map, [])),  # type: ignore[arg-type] # the mistake
        "children that are not a list",
        "children is a map: write a list",
    ),
    "None": (
        forgets_to_return,
        "sync returned None: is a return missing?",
        "sync returned None: is a return missing?",
    ),
    "a dictionary": (
        lambda _, __: {"status": STATUS, "children": []},
        "sync returned a dict: return a SyncResponse",
        "sync returned a dict: return a SyncResponse",
    ),
    "a field of the log that is taken": (
        listing(log={"name": "x"}),
        "a field for the log with a name that can't be used",
        "log={'name': ...}: write small letters, digits and _, and none of",
    ),
    "a list for the log": (
        listing(log={"plans": ["gold"]}),
        "a field for the log that is neither text nor a number",
        "log['plans'] is a list",
    ),
    "no number for the log": (
        listing(log={"share": float("nan")}),
        "a field for the log that is neither text nor a number",
        "log['share'] is nan",
    ),
}


@pytest.mark.parametrize(("sync", "text", "detail"), REFUSED.values(), ids=REFUSED.keys())
def test_a_response_is_refused_with_the_place_and_the_remedy(sync: Any, text: str, detail: str) -> None:
    controller = Controller(sync, (ConfigMap,))

    with pytest.raises(RefusedResponse) as raised:
        controller.decide(controller.request(PARENT), NOW)

    assert str(raised.value) == text
    assert raised.value.detail.startswith(detail)


IMPURE: dict[str, tuple[Callable[..., Any], str]] = {
    "a random value": (
        lambda _, __: SyncResponse({"id": next(NUMBERS)}),
        "the same request twice differs at status.id",
    ),
    "a random name": (
        lambda _, __: SyncResponse(STATUS, [config_map(metadata={"name": f"a-{next(NUMBERS)}"})]),
        "the same request twice differs at children[0].metadata.name",
    ),
    "a mutable default": (appends_to_a_default, "the same request twice differs at status.names"),
    "a template that parents share": (
        shares_a_template,
        "the same request twice differs at children[0].data.hello-2",
    ),
    "the time": (
        lambda _, now: SyncResponse({"at": now.isoformat()}),
        "an hour later the response differs at status.at, and no resync_after asks for that sync",
    ),
    "a number of syncs": (
        counts_syncs,
        "each sync changes status.syncs, so each one is followed by another",
    ),
    "a deadline without a resync": (
        counts_days,
        "an hour later the response differs at status.isLate, and no resync_after asks for that sync",
    ),
}


@pytest.mark.parametrize(("sync", "text"), IMPURE.values(), ids=IMPURE.keys())
def test_a_hook_that_is_not_pure_fails_its_first_test(sync: Any, text: str) -> None:
    controller = Controller(sync, (ConfigMap,))

    with pytest.raises(ImpureHook) as raised:
        controller.decide(controller.request(PARENT), NOW)

    assert str(raised.value) == text


def conditional(request: SyncRequest, now: datetime) -> SyncResponse:
    ready = set_condition(
        request.parent.conditions, "Ready", "True", "Ready", now=now, generation=request.parent.generation
    )
    return SyncResponse({"conditions": ready})


def goes_by_steps(request: SyncRequest, now: datetime) -> SyncResponse:
    conditions, generation = request.parent.conditions, request.parent.generation
    for step in ("Reserved", "Built", "Ready")[: len(conditions) + 1]:
        conditions = set_condition(conditions, step, "True", "Done", now=now, generation=generation)
    return SyncResponse({"conditions": conditions})


@pytest.mark.parametrize(
    "sync", [conditional, goes_by_steps, TINY.sync], ids=["a transition time", "steps", "with a resync"]
)
def test_a_hook_that_is_pure_may_look_at_the_time(sync: Any) -> None:
    controller = Controller(sync, (ConfigMap,))

    assert controller.decide(controller.request(PARENT), NOW) == sync(controller.request(PARENT), NOW)


async def asynchronous(_: SyncRequest, __: datetime) -> SyncResponse:
    return SyncResponse(STATUS)


class Asynchronous:
    """An object that is an asynchronous hook."""

    async def __call__(self, _: SyncRequest, __: datetime) -> SyncResponse:
        """Return a status."""
        return SyncResponse(STATUS)


def generates(_: SyncRequest, __: datetime) -> Any:
    yield SyncResponse(STATUS)


PURE = listing()
LIKE_CONFIG_MAP = type("MyConfigMap", (ConfigMap,), {})
MISUSED: dict[str, tuple[dict[str, Any], str]] = {
    "async def": (
        {"sync": asynchronous},
        "sync is an async function: write it with def; the server calls it in a thread",
    ),
    "async def of an object": ({"sync": Asynchronous()}, "sync is an async function: write it with def"),
    "a class": ({"sync": Asynchronous}, "sync is a class: pass a function, sync(request, now)"),
    "yield": ({"sync": generates}, "sync is a generator: return the response, with no yield"),
    "one argument": ({"sync": lambda _: None}, "sync takes other arguments: write it as sync(request, now)"),
    "its result": ({"sync": SyncResponse(STATUS)}, "sync is a SyncResponse: pass a function, sync(request, now)"),
    "customize with the time": (
        {"customize": PURE},
        "customize takes other arguments: write it as customize(request)",
    ),
    "finalize with one argument": (
        {"finalize": lambda _: None},
        "finalize takes other arguments: write it as finalize(request, now)",
    ),
    "one kind and no tuple": ({"children": ConfigMap}, "children is a class: write children=(ConfigMap,), a tuple"),
    "a list of kinds": ({"children": [ConfigMap]}, "children is a list: write a tuple of classes"),
    "a kind's name": ({"children": ("ConfigMap",)}, "children has an item that is not a subclass of metahook.Object"),
    "one kind twice": (
        {"children": (ConfigMap, LIKE_CONFIG_MAP)},
        "children has two classes for ConfigMap.v1: leave one out",
    ),
    "an optional kind that is no child's": (
        {"children": (ConfigMap,), "optional_kinds": {Service}},
        "optional_kinds has a class that is not in children: add it there, too",
    ),
    "a cluster-scoped child": (
        {"children": (Namespace,), "parent": Kind("example.com/v1", "Note", "notes")},
        "Namespace is cluster-scoped and Note is not: Kubernetes would delete such a child",
    ),
}


@pytest.mark.parametrize(("arguments", "text"), MISUSED.values(), ids=MISUSED.keys())
def test_a_controller_that_can_not_work_is_refused_where_it_is_made(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(MisusedController) as raised:
        Controller(**{"sync": PURE, "children": (ConfigMap, Service), **arguments})

    assert str(raised.value).startswith(text)


class Hook:
    """An object that is a hook."""

    def __call__(self, request: SyncRequest, now: datetime) -> SyncResponse:
        """Return a status."""
        return TINY.sync(request, now)


HOOKS: dict[str, Any] = {
    "an object": Hook(),
    "a method": Hook().__call__,
    "a part": partial(lambda _, *args: TINY.sync(*args), None),
    "any arguments": lambda *_: SyncResponse(STATUS),
    "a default": lambda request, now=NOW: TINY.sync(request, now),
    "a function in C without a signature": max,
}


@pytest.mark.parametrize("sync", HOOKS.values(), ids=HOOKS.keys())
def test_whatever_can_be_called_as_a_hook_is_one(sync: Any) -> None:
    assert Controller(sync, (ConfigMap,)).sync is sync


def test_a_status_that_is_forgotten_is_an_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="'status'"):
        SyncResponse(children=[])  # type: ignore[call-arg] # mypy refuses it, too


def test_the_text_of_a_refusal_holds_no_value_of_a_user() -> None:
    wrong = listing(config_map(metadata={"name": "canary"}, data={"canary": None}))
    controller = Controller(wrong, (ConfigMap,))

    with pytest.raises(RefusedResponse) as raised:
        controller.handle_sync(msgspec.json.encode({"parent": PARENT, "children": {"ConfigMap.v1": {}}}), NOW)

    assert "canary" not in str(raised.value)
    assert raised.value.detail == "ConfigMap canary: data.canary is null: leave the field out"
