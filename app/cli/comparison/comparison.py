"""A comparison: this version's response to one request, and the one that it is compared with."""

from dataclasses import dataclass
from datetime import datetime

from app.cli.comparison.children import name_file_in_errors
from app.cli.comparison.difference import Difference, compare_responses, compare_with_observed
from app.cli.comparison.responses import (
    MALFORMED,
    OK,
    InvalidResponse,
    Response,
    other_response,
    own_response,
    parse_response,
    without_times,
)
from app.cli.errors import InputError
from app.cli.files.recordings import Recording
from app.core.watch import Watch
from metahook.simulator.hook import Hook


@dataclass(frozen=True)
class Comparison:
    """A request, and how the responses to it differ; None if there was nothing to compare with."""

    recording: Recording
    difference: Difference | None

    @property
    def parent(self) -> str:
        """Namespace and name of the parent."""
        metadata = self.recording.parent.get("metadata")
        known = metadata if isinstance(metadata, dict) else {}
        return f"{known.get('namespace')}/{known.get('name')}"


def compare(recording: Recording, now: datetime, other: Hook | None, watch: Watch) -> Comparison:
    """Return how the responses to *recording* differ; raise InputError.

    With the hook of an *other* version, its response is the new one. Without, this version's response is the new one,
    and the old one is the recorded response or, if there is none, the observed children.
    """
    with name_file_in_errors(recording.file):
        if other:
            return Comparison(recording, _compare_versions(recording, now, other, watch))
        return Comparison(recording, _compare_with_recorded(recording, now, watch))


def _compare_versions(recording: Recording, now: datetime, other: Hook, watch: Watch) -> Difference:
    old, new = own_response(recording, now, watch), other_response(recording, other)
    return compare_responses(recording, without_times(old, same_time=False), without_times(new, same_time=False))


def _compare_with_recorded(recording: Recording, now: datetime, watch: Watch) -> Difference | None:
    same_time = recording.time is not None  # decide at the time of the recorded response
    new = without_times(own_response(recording, recording.time or now, watch), same_time=same_time)
    recorded = _recorded_response(recording)
    if recorded:
        return compare_responses(recording, without_times(recorded, same_time=same_time), new)
    if new.code == MALFORMED:
        remedy = "give what myresource record wrote, or a request's body"
        message = f"{recording.file}: not a hook request: {new.broken_rule}; {remedy}"
        raise InputError(message)
    return compare_with_observed(recording, new) if recording.hook == "sync" else None


def _recorded_response(recording: Recording) -> Response | None:
    if recording.response is None and recording.status in (None, OK):
        return None
    try:
        return parse_response(recording.hook, recording.status or OK, recording.response)
    except InvalidResponse as error:
        message = f"{recording.file}: its response is not one of a hook; record it again, or remove the response"
        raise InputError(message) from error
