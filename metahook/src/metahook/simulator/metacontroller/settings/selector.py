"""Label selectors: which objects are parents, and which are the children of a parent.

Source: Metacontroller 4.17, makeSelector in pkg/controller/composite; pkg/controller/decorator/selector.go.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from metahook.protocol.objects import Kind
from metahook.protocol.request_builder import matches
from metahook.simulator.objects import Json, labels

LABEL = "controller-uid"
"""The label of generateSelector: the parent's uid."""

Selects = Callable[[Json], bool]
"""Tells whether an object has the labels of a selector."""

OPERATORS = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
"""The operators of a label selector, and whether they take values."""


class InvalidSelector(Exception):
    """Raised for a selector that can't be used: each sync fails."""


@dataclass(frozen=True)
class ParentResource:
    """A kind of parents, and which of its objects are parents: those that both selectors match."""

    kind: Kind
    label_selector: Json = field(default_factory=dict, hash=False)
    annotation_selector: Json = field(default_factory=dict, hash=False)
    ignore_status_changes: bool = False

    def matches(self, parent: Json) -> bool:
        """Tell whether *parent*, an object of this kind, is a parent."""
        annotations = parent["metadata"].get("annotations")
        return matches(self.label_selector, labels(parent)) and matches(self.annotation_selector, annotations)


def generated_selector(parent: Json) -> Selects:
    """Return the selector of generateSelector."""
    uid = parent["metadata"]["uid"]
    return lambda item: labels(item).get(LABEL) == uid


def own_selector(parent: Json) -> Selects:
    """Return the ``spec.selector`` of *parent*; raise InvalidSelector."""
    selector = (parent.get("spec") or {}).get("selector")
    if selector is not None and not isinstance(selector, dict):
        raise InvalidSelector(f"can't get label selector from {parent['kind']} {parent['metadata']['name']}")
    if not selector or not (selector.get("matchLabels") or selector.get("matchExpressions")):
        raise InvalidSelector(".spec.selector must have either matchLabels, matchExpressions, or both")
    check_selector(selector)
    return lambda item: matches(selector, labels(item))


def check_selector(selector: Json) -> None:
    """Raise InvalidSelector for an operator that does not exist, or whose values don't fit."""
    for expression in selector.get("matchExpressions") or []:
        if OPERATORS.get(expression.get("operator")) is not bool(expression.get("values")):
            raise InvalidSelector(
                "a selector has an operator without values, or values for an operator that takes none"
            )
