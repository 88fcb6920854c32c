"""Metacontroller's protocol: the requests to a CompositeController's hooks, and the responses that they may send.

The rule of this package: it knows no kind of parent and no kind of child, and needs msgspec alone. Reading is lenient
(null means absent, unknown fields are skipped, and a related object may be unreadable, a child not); writing is strict
(the gate).

Nouns: a *request* holds the *parent*, its observed *children*, and the *related* objects that rules selected; a
*response* lists every child that is to exist, and the status; a child is kept as it was *last applied*; *drift* is the
first field whose observed value differs from the desired one; the *generation stamp* of a child shows that a request is
*stale*: older than the child; *repair* is the annotation that makes Metacontroller send a child again; *changes* are
the paths at which two objects differ; *leftovers* are fields that Metacontroller does not remove, and their *removal*
is a command; the *gate* refuses responses that would do damage; a *controller* is a pair of pure functions, sync and
customize, with the gate behind them; *findings* are what is wrong with its *installation*. The *sender* makes requests
as Metacontroller does, for the simulator and for tests.

Imports no other package of this repository; no I/O, no clock. Start at :mod:`metahook.protocol.controller`.
"""

from metahook.protocol.controller import Controller
from metahook.protocol.drift import drifted_field
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.generation import (
    children_from_newer_generation,
    is_from_newer_generation,
    with_generation_stamp,
)
from metahook.protocol.installation import Finding, UpdateMethod
from metahook.protocol.kind import Kind
from metahook.protocol.last_applied import LAST_APPLIED
from metahook.protocol.leftovers import leftovers
from metahook.protocol.malformed import MalformedRequest
from metahook.protocol.manifest import EncodedManifest, Manifest
from metahook.protocol.objects import Condition, Conditions, Defaults, Metadata, Object, Observed
from metahook.protocol.observed import Children, UndeclaredKind
from metahook.protocol.reading import try_read, try_read_list
from metahook.protocol.related import Absence, Related
from metahook.protocol.removal import Removal, removal
from metahook.protocol.repair import Resend, was_resent, with_repair
from metahook.protocol.request import Body, CustomizeRequest, Parent, SyncRequest
from metahook.protocol.response import CustomizeResponse, SyncResponse, select_by_labels, select_by_name
from metahook.protocol.wire import MAX_RESYNC, RelatedRule

__all__ = [
    "LAST_APPLIED",
    "MAX_RESYNC",
    "Absence",
    "Body",
    "Children",
    "Condition",
    "Conditions",
    "Controller",
    "CustomizeRequest",
    "CustomizeResponse",
    "Defaults",
    "EncodedManifest",
    "Finding",
    "Kind",
    "MalformedRequest",
    "Manifest",
    "Metadata",
    "Object",
    "Observed",
    "Parent",
    "RefusedResponse",
    "Related",
    "RelatedRule",
    "Removal",
    "Resend",
    "SyncRequest",
    "SyncResponse",
    "UndeclaredKind",
    "UpdateMethod",
    "children_from_newer_generation",
    "drifted_field",
    "is_from_newer_generation",
    "leftovers",
    "removal",
    "select_by_labels",
    "select_by_name",
    "try_read",
    "try_read_list",
    "was_resent",
    "with_generation_stamp",
    "with_repair",
]
