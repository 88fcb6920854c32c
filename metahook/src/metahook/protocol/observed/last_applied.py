"""What was last applied to a child: a response with it leaves the child unchanged.

Under dynamic-apply Metacontroller records that in an annotation, and removes it when it begins to apply server-side.
From then on the API server records it, in ``managedFields``: the entry of operation Apply that owns the parent's owner
reference names the hook's fields, the object has their values. The items of a list stay in the observed object's order:
the record's order is sorted, and following it would reorder ports and restart Pods.

A record is read leniently: one that can't be read is no record.
"""

from typing import Any

from metahook.protocol.objects.object import object_or_empty
from metahook.protocol.objects.plain_json import Json, without_nulls
from metahook.protocol.observed.child import ObservedChild
from metahook.protocol.observed.managed_fields import owned_part, owns_reference

_CONTROLLER_UID = "controller-uid"


def last_applied(child: ObservedChild[Any], owner_uid: str) -> Json:
    """Return what was last applied to *child* for the parent *owner_uid*.

    With no record that is ``{apiVersion, kind, metadata: {name}}``, which removes nothing either.
    """
    try:
        record = object_or_empty(without_nulls(child.record or _from_managed_fields(child, owner_uid)))
    except RecursionError:
        record = {}
    kind = child.object.KIND
    return {
        **{field: value for field, value in record.items() if field != "status"},
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": child.object.metadata.name, **_own_metadata(object_or_empty(record.get("metadata")))},
    }


def _from_managed_fields(child: ObservedChild[Any], owner_uid: str) -> Json:
    applied = (owner.fields for owner in child.owners if owner.operation == "Apply")
    fields = next((fields for fields in applied if owns_reference(fields, owner_uid)), None)
    if not fields:
        return {}
    metadata = child.object.metadata
    named = {"labels": metadata.labels, "annotations": metadata.annotations}
    return object_or_empty(owned_part(fields, {**child.content, "metadata": named}))


def _own_metadata(metadata: Json) -> Json:
    """Return the labels and annotations in *metadata*, less the label that Metacontroller adds."""
    labels = {key: value for key, value in object_or_empty(metadata.get("labels")).items() if key != _CONTROLLER_UID}
    annotations = object_or_empty(metadata.get("annotations"))
    return {**({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}
