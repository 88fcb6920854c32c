"""What was last applied to a child: a response with it leaves the child unchanged.

Under dynamic-apply Metacontroller records that in an annotation, and removes it when it begins to apply server-side.
From then on the API server records it, in ``managedFields``: the entry of operation Apply that owns the parent's owner
reference names the hook's fields, the object has their values. The items of a list stay in the observed object's order:
the record's order is sorted, and following it would reorder ports and restart Pods.

A record is read leniently: one that can't be read is no record.
"""

from collections.abc import Callable

from metahook.protocol.bodies.reading import try_read
from metahook.protocol.objects.object import Object, object_or_empty
from metahook.protocol.objects.plain_json import Json, without_nulls
from metahook.protocol.observed.managed_fields import field_owners, owned_part, owns_reference

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
_CONTROLLER_UID = "controller-uid"


def last_applied(child: Object, content: Callable[[], Json], owner_uid: str) -> Json:
    """Return what was last applied to *child* for the parent *owner_uid*.

    *content* returns the fields of *child*, decoded, less its metadata and status. With no record that is
    ``{apiVersion, kind, metadata: {name}}``, which removes nothing either.
    """
    record = _record(child, content, owner_uid)
    return {
        **{field: value for field, value in record.items() if field != "status"},
        "apiVersion": child.KIND.api_version,
        "kind": child.KIND.kind,
        "metadata": {"name": child.metadata.name, **_own_metadata(object_or_empty(record.get("metadata")))},
    }


def annotated_record(child: Object) -> Json:
    """Return what Metacontroller's annotation on *child* records as applied by dynamic-apply; empty if it is absent."""
    return try_read((child.metadata.annotation(LAST_APPLIED) or "").encode(), Json) or {}


def _record(child: Object, content: Callable[[], Json], owner_uid: str) -> Json:
    try:
        return object_or_empty(
            without_nulls(annotated_record(child) or _from_managed_fields(child, content, owner_uid))
        )
    except RecursionError:
        return {}


def _from_managed_fields(child: Object, content: Callable[[], Json], owner_uid: str) -> Json:
    owners = field_owners(child.metadata.managed_fields)
    applied = (owner.fields for owner in owners if owner.operation == "Apply")
    fields = next((fields for fields in applied if owns_reference(fields, owner_uid)), None)
    if not fields:
        return {}
    metadata = {"labels": child.metadata.labels, "annotations": child.metadata.annotations}
    return object_or_empty(owned_part(fields, {**content(), "metadata": metadata}))


def _own_metadata(metadata: Json) -> Json:
    """Return the labels and annotations in *metadata*, less the label that Metacontroller adds."""
    labels = {key: value for key, value in object_or_empty(metadata.get("labels")).items() if key != _CONTROLLER_UID}
    annotations = object_or_empty(metadata.get("annotations"))
    return {**({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}
