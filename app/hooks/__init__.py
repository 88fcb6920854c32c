"""Speaks Metacontroller: what a CompositeController's hooks are asked, and what they may answer.

The rule of this package: it knows no MyResource. Copy it for a controller of your own; docs/write-your-own-hook.md
shows how. Reading is lenient (null means absent, unknown fields are skipped; what others own may even be unreadable,
but not a child), answering is strict (the gate).

Nouns: a *request* holds the *parent*, its observed *children* and the *related* objects that were asked for; an
*answer* lists every child that shall live, or keeps those that are there as they were last applied, and the status;
the *gate* refuses answers that would do damage; a *controller* is a pair of pure functions, sync and customize, with
the gate behind them. The *sender* is the other side: it makes requests as Metacontroller does, for the simulator and
for tests.

Imports nothing of ours; no I/O, no clock. Start at :mod:`app.hooks.controller`.
"""

from app.hooks.answer import CustomizeAnswer, Manifest, RelatedRule, SyncAnswer, labelled, named
from app.hooks.controller import Controller
from app.hooks.gate import MAX_RESYNC, RefusedAnswer
from app.hooks.kept import LAST_APPLIED
from app.hooks.managed import FieldOwner, FieldSet, inside, list_key, owns_reference, union
from app.hooks.objects import (
    Condition,
    ConfigMap,
    Deployment,
    DeploymentStatus,
    MalformedRequest,
    Metadata,
    Object,
    Observed,
    Secret,
    Service,
    readable,
)
from app.hooks.observed import Children
from app.hooks.pod import ContainerStatus, Pod, PodStatus, Terminated
from app.hooks.related import Absence, Related
from app.hooks.request import Body, CustomizeRequest, Parent, SyncRequest

__all__ = [
    "LAST_APPLIED",
    "MAX_RESYNC",
    "Absence",
    "Body",
    "Children",
    "Condition",
    "ConfigMap",
    "ContainerStatus",
    "Controller",
    "CustomizeAnswer",
    "CustomizeRequest",
    "Deployment",
    "DeploymentStatus",
    "FieldOwner",
    "FieldSet",
    "MalformedRequest",
    "Manifest",
    "Metadata",
    "Object",
    "Observed",
    "Parent",
    "Pod",
    "PodStatus",
    "RefusedAnswer",
    "Related",
    "RelatedRule",
    "Secret",
    "Service",
    "SyncAnswer",
    "SyncRequest",
    "Terminated",
    "inside",
    "labelled",
    "list_key",
    "named",
    "owns_reference",
    "readable",
    "union",
]
