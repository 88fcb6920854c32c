"""The summary of a response: what a log and metrics may say about it. None of it is content of the request.

Only the hook's own fields may have some, if the hook puts it there.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from metahook.protocol.installation import InstallationProblem
from metahook.protocol.request import Parent

NONE = "None"
OTHER = "Other"
"""Stand for a reason: there is none; it is not one of the controller's."""


MAX_LOG_FIELDS = 16
LONGEST_LOG_TEXT = 256
"""Characters of a text of a field of the hook's own; what is longer is cut."""

RESERVED_LOG_FIELDS = frozenset(
    {
        *("time", "level", "event", "logger", "exception", "stack_info"),
        *("hook", "kind", "namespace", "name", "uid", "generation", "reason_before", "reason", "children", "kept"),
        *("rules", "bytes_in", "bytes_out", "ms", "status", "limit", "id", "omitted", "changes"),
    }
)
"""Names that fields of a hook's own can't have: a line of the log has these."""

OwnField = str | int | float | bool


class Summary(NamedTuple):
    """What was decided for a parent, in fixed words and names of Kubernetes."""

    parent: Parent
    reason_before: str = NONE
    """The reason of the parent's condition Ready, as the request has it."""
    reason: str = NONE
    """The same, as the response has it."""
    children: int = 0
    """How many children the response lists."""
    kept: int = 0
    """How many of them are kept as they were last applied."""
    rules: int | None = None
    """How many related rules the response of customize has; None for a sync."""
    findings: tuple[InstallationProblem, ...] = ()
    """What the request shows, and the hook says, to be wrong with the installation. The log and the metrics name it."""
    is_decorator: bool = False
    log: Mapping[str, OwnField] = MappingProxyType({})
    """The hook's own fields for the log."""


def ready_reason(conditions: object, known: Collection[str]) -> str:
    """Return the reason of the condition Ready in *conditions*, those of a status; OTHER if it is not *known*."""
    for condition in conditions if isinstance(conditions, list) else []:
        if isinstance(condition, dict) and condition.get("type") == "Ready":
            # A status may hold any text, and a metric keeps each.
            reason = condition.get("reason")
            return reason if isinstance(reason, str) and reason in known else OTHER
    return NONE


def short_fields(fields: Mapping[str, OwnField]) -> dict[str, OwnField]:
    """Return *fields* of the log with texts that are not too long."""
    return {name: value[:LONGEST_LOG_TEXT] if isinstance(value, str) else value for name, value in fields.items()}
