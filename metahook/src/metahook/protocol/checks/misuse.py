"""Misuse of a Controller that would show up later, and far away: it is refused where the Controller is made."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Object


class MisusedController(TypeError):
    """Raised for an argument of a Controller that can't be right. Its text names the argument and the remedy."""


def check_function(name: str, function: Any, *arguments: str) -> None:  # noqa: ANN401 - what an author passes
    """Raise MisusedController if *function*, which is passed as *name*, is none that takes *arguments*."""
    usage = f"{name}({', '.join(arguments)})"
    if isinstance(function, type):
        _refuse(f"{name} is a class: pass a function, {usage}")
    if not callable(function):
        _refuse(f"{name} is {what(function)}: pass a function, {usage}")
    if _is_any(function, inspect.iscoroutinefunction, inspect.isasyncgenfunction):
        _refuse(f"{name} is an async function: write it with def; the server calls it in a thread")
    if _is_any(function, inspect.isgeneratorfunction):
        _refuse(f"{name} is a generator: return the response, with no yield")
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        _refuse(f"{name} takes other arguments: write it as {usage}")
    except ValueError:  # a function in C may have no signature
        return


def check_children(children: Any, parent: Kind | None, optional: Any = ()) -> None:  # noqa: ANN401 - as passed
    """Raise MisusedController if *children* is no tuple of different kinds that *parent* can have."""
    if isinstance(children, type):
        _refuse(f"children is a class: write children=({children.__name__},), a tuple")
    if not isinstance(children, tuple):
        _refuse(f"children is {what(children)}: write a tuple of classes, such as (ConfigMap,)")
    for struct in children:
        if not (isinstance(struct, type) and issubclass(struct, Object) and hasattr(struct, "KIND")):
            _refuse("children has an item that is not a subclass of metahook.Object with a KIND")
        if parent and parent.namespaced and not struct.KIND.namespaced:
            _refuse(
                f"{struct.KIND.kind} is cluster-scoped and {parent.kind} is not: Kubernetes would delete such a child"
            )
    _check_different(struct.KIND for struct in children)
    if not set(optional) <= set(children):
        _refuse("optional_kinds has a class that is not in children: add it there, too")


def _check_different(kinds: Iterable[Kind]) -> None:
    keys = [kind.group_key for kind in kinds]
    for key in keys:
        if keys.count(key) > 1:
            _refuse(f"children has two classes for {key}: leave one out")


def _is_any(function: Any, *checks: Callable[[Any], bool]) -> bool:  # noqa: ANN401 - what an author passes
    """Tell whether one of *checks* holds for *function*, or for the method by which an object is called."""
    return any(check(function) or check(getattr(function, "__call__", None)) for check in checks)  # noqa: B004 - the method


def what(value: object) -> str:
    """Return what a message calls *value*: ``None``, or ``a dict``."""
    return "None" if value is None else f"a {type(value).__name__}"


def _refuse(problem: str) -> NoReturn:
    raise MisusedController(problem) from None
