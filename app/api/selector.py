"""Selectors: sentences about labels, of nodes and of Pods."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.labels import Labels
from app.api.model import Model, Omitted, Rule
from app.api.scalar import Key, LabelValue

Values = Annotated[list[LabelValue], Field(max_length=64), Omitted]

_VALUES_FIT = Rule(
    "In and NotIn need values, Exists and DoesNotExist must have none",
    lambda term: (term.operator in ("Exists", "DoesNotExist")) == (not term.values),
    cel="(self.operator in ['Exists', 'DoesNotExist']) == (!has(self.values) || self.values.size() == 0)",
)
_ONE_NUMBER = Rule(
    "Gt and Lt need one whole number as their value",
    lambda term: term.operator not in ("Gt", "Lt") or (len(term.values or []) == 1 and _is_number(term.values[0])),
    cel="!(self.operator in ['Gt', 'Lt']) || has(self.values) && self.values.size() == 1 "
    "&& self.values[0].matches('^[0-9]{1,18}$')",
)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= 18


class NodeExpression(Model):
    """A sentence about a label of the node."""

    key: Key
    """Key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """How the label's value relates to values."""
    values: Values | None = None
    """The values."""

    rules = (_VALUES_FIT, _ONE_NUMBER)


class LabelExpression(Model):
    """A sentence about a label of other Pods."""

    key: Key
    """Key of the label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How the label's value relates to values."""
    values: Values | None = None
    """The values."""

    rules = (_VALUES_FIT,)


class LabelSelector(Model):
    """Pods in the same namespace by their labels; all that is said must hold."""

    match_labels: Labels | None = None
    """Labels with exactly these values."""
    match_expressions: Annotated[list[LabelExpression], Field(max_length=16), Omitted] | None = None
    """Sentences about labels."""

    rules = (
        Rule(
            "needs matchLabels or matchExpressions: an empty selector would match every Pod of the namespace",
            lambda selector: bool(selector.match_labels or selector.match_expressions),
            cel="has(self.matchLabels) && self.matchLabels.size() > 0 "
            "|| has(self.matchExpressions) && self.matchExpressions.size() > 0",
        ),
    )
