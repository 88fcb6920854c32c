"""Selectors: requirements on the labels of nodes and Pods."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.values.labels import Labels
from app.api.values.model import Model, Omitted, Rule
from app.api.values.scalar import Key, LabelValue

Values = Annotated[list[LabelValue], Field(max_length=64), Omitted]

_VALUES_FIT = Rule(
    "values must be set when operator is In or NotIn, and must not be set when it is Exists or DoesNotExist",
    lambda term: (term.operator in ("Exists", "DoesNotExist")) == (not term.values),
    cel="(self.operator in ['Exists', 'DoesNotExist']) == (!has(self.values) || self.values.size() == 0)",
)
_ONE_NUMBER = Rule(
    "values must be one whole number when operator is Gt or Lt",
    lambda term: term.operator not in ("Gt", "Lt") or (len(term.values or []) == 1 and _is_number(term.values[0])),
    cel="!(self.operator in ['Gt', 'Lt']) || has(self.values) && self.values.size() == 1 "
    "&& self.values[0].matches('^[0-9]{1,18}$')",
)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= 18


class NodeExpression(Model):
    """A requirement on a label of a node."""

    key: Key
    """Key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """How the value of the label is compared with values."""
    values: Values | None = None
    """Values that the value of the label is compared with."""

    rules = (_VALUES_FIT, _ONE_NUMBER)


class LabelExpression(Model):
    """A requirement on a label of a Pod."""

    key: Key
    """Key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How the value of the label is compared with values."""
    values: Values | None = None
    """Values that the value of the label is compared with."""

    rules = (_VALUES_FIT,)


class LabelSelector(Model):
    """Selects Pods in the same namespace by their labels; all requirements must match."""

    match_labels: Labels | None = None
    """Labels, and the values that they must have."""
    match_expressions: Annotated[list[LabelExpression], Field(max_length=16), Omitted] | None = None
    """Label requirements; all must match."""

    rules = (
        Rule(
            "matchLabels or matchExpressions must be set: an empty selector matches every Pod in the namespace",
            lambda selector: bool(selector.match_labels or selector.match_expressions),
            cel="has(self.matchLabels) && self.matchLabels.size() > 0 "
            "|| has(self.matchExpressions) && self.matchExpressions.size() > 0",
        ),
    )
