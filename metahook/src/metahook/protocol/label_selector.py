"""Label selectors, and why a CompositeController does not select the parent of a request.

Metacontroller keeps all parents of a kind in memory, also with a ``parentResource.labelSelector``. For each event of a
related kind it checks the rules of all of them, and calls customize for those whose rules it does not know. It syncs
only the selected ones. Source: Metacontroller 4.17, pkg/controller/common/customize, findRelatedParents.
"""

from collections.abc import Callable, Mapping
from itertools import chain
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

    def unmet_keys(self, labels: Mapping[str, str]) -> frozenset[str]:
        """Return the keys of its requirements that *labels* do not meet; none if it matches *labels*.

        Source: Kubernetes, LabelSelectorAsSelector.
        """
        required = ((key, "In", [value]) for key, value in (self.match_labels or {}).items())
        expressions = ((each.key, each.operator, each.values or []) for each in self.match_expressions or [])
        return frozenset(
            key
            for key, operator, values in chain(required, expressions)
            if not _OPERATORS[operator](labels.get(key), values)
        )


_OPERATORS: dict[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
}


def excluding_labels(body: Json) -> frozenset[str]:
    """Return the keys of the labels because of which the CompositeController of *body* does not select its parent.

    Empty if it selects the parent, or if the request does not show it.
    """
    request = try_read(body, _Request)
    selector = request and request.controller.spec.parent_resource.label_selector
    return selector.unmet_keys(request.parent.metadata.labels or {}) if request and selector else frozenset()


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
