"""Label selectors, and whether a CompositeController selects the parent of a request.

Metacontroller keeps all parents of a kind in memory, also with a ``parentResource.labelSelector``. For each event of a
related kind it checks the rules of all of them, and calls customize for those whose rules it does not know. It syncs
only the selected ones. Source: Metacontroller 4.17, pkg/controller/common/customize, findRelatedParents.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from metahook.protocol.objects import Observed
from metahook.protocol.reading import Json, try_read


class _Expression(Observed, frozen=True):
    key: str
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: list[str] | None = None


class LabelSelector(Observed, frozen=True):
    """A label selector; without requirements it matches everything."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[_Expression] | None = None

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether it matches *labels*. Source: Kubernetes, LabelSelectorAsSelector."""
        return (self.match_labels or {}).items() <= labels.items() and all(
            _OPERATORS[each.operator](labels.get(each.key), each.values or []) for each in self.match_expressions or []
        )


_OPERATORS: dict[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}


def is_parent_selected(body: Json) -> bool:
    """Return whether the CompositeController of the request *body* selects its parent; also if either is unknown."""
    request = try_read(body, _Request)
    selector = request and request.controller.spec.parent_resource.label_selector
    return not (request and selector) or selector.matches(request.parent.metadata.labels or {})


class _ParentResource(Observed, frozen=True):
    label_selector: LabelSelector | None = None


class _Spec(Observed, frozen=True):
    parent_resource: _ParentResource


class _CompositeController(Observed, frozen=True):
    spec: _Spec


class _Metadata(Observed, frozen=True):
    labels: dict[str, str] | None = None


class _Parent(Observed, frozen=True):
    metadata: _Metadata


class _Request(Observed, frozen=True):
    controller: _CompositeController
    parent: _Parent
