"""``myresource record``: records the requests to the hook, without what users keep private."""

from app import __version__
from app.core.child_metadata import CHILDREN, CONFIG_HASH_ANNOTATIONS
from app.core.desired.config_hash import published_hashes
from app.core.diagnosis.causes import READ_MESSAGES
from app.core.watch import Watch
from metahook import Body, SyncRequest
from metahook.record.command import record_command
from metahook.record.redaction import Redaction

_WATCH = Watch(secrets=True)
"""A request without Secrets has their hashes of before, whatever is watched."""


def redaction_of(keeps_values: bool) -> Redaction:  # noqa: FBT001 - the one thing that is asked
    """Return what is redacted in recordings of the operator."""
    return Redaction(keeps_values, frozenset(CONFIG_HASH_ANNOTATIONS.values()), READ_MESSAGES, _hashes)


def _hashes(body: Body) -> dict[str, str]:
    return published_hashes(SyncRequest.decode(body, CHILDREN), _WATCH)


command = record_command(redaction_of, __version__)
