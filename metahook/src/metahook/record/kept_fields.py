"""The kept fields: the allow-list of what a recording keeps of an object of any kind.

A recording keeps the structure, numbers, and the texts of these fields, if they have the form that is listed.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Union

from metahook.record.placeholders import HASH, TEMPLATE_HASH

Form = Union["Fields", re.Pattern[str], None]

Fields = Mapping[str, Form]
"""The fields of an object that are kept, with the form of their texts. ``*`` is any field; lists have no level."""

WORD = re.compile(r"[-A-Za-z0-9_.:/+%'\[\]]*(@sha(256|512):[0-9a-f]+)?")
"""A name, a number with a unit, a time, an image; nothing with spaces, or a password before an ``@``."""

ANY = re.compile(".*", re.DOTALL)
MESSAGE = re.compile("(?!)")
"""Of a message are kept the parts that the hook reads."""


def words(*names: str) -> Fields:
    """Return fields *names* whose texts are words."""
    return dict.fromkeys(names, WORD)


def merged(fields: Form, more: Form) -> Any:  # noqa: ANN401 - of the type of what is merged
    """Return *fields* and *more* of them."""
    if not isinstance(fields, Mapping) or not isinstance(more, Mapping):
        return more or fields
    return {name: merged(fields.get(name), more.get(name)) for name in {**fields, **more}}


CONDITIONS: Fields = {
    **words("type", "status", "reason", "lastProbeTime", "lastTransitionTime", "lastUpdateTime"),
    "message": MESSAGE,
}
OBJECT: Fields = {
    **words("apiVersion", "kind"),
    "metadata": {
        **words("name", "generateName", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "finalizers"),
        "ownerReferences": words("apiVersion", "kind", "name", "uid"),
        "labels": {TEMPLATE_HASH: HASH},
    },
    "status": {"conditions": CONDITIONS},
}
"""What is kept of an object of any kind."""

_RESOURCE = words("apiVersion", "resource")
_CHILD: Fields = {**_RESOURCE, "updateStrategy": words("method")}
FIELDS: Fields = {
    "controller": merged(
        OBJECT,
        {
            "spec": {
                **dict.fromkeys(("parentResource", "resources"), _RESOURCE),
                "childResources": _CHILD,
                "attachments": _CHILD,
                "hooks": {"*": {**words("version"), "webhook": words("responseUnMarshallMode", "timeout")}},
            },
        },
    ),
    "parent": OBJECT,
    "object": OBJECT,
    "relatedResources": {**_RESOURCE, **words("namespace", "names")},
}
"""What is kept of a field of a request or a response."""


def form_of(form: Form, name: str) -> Form:
    """Return the form of the field *name*."""
    return form.get(name, form.get("*")) if isinstance(form, Mapping) else None


def kept_texts(value: object, fields: Form) -> Iterator[str]:
    """Yield the texts of *value* that are kept."""
    if isinstance(value, dict) and isinstance(fields, Mapping):
        for name, inner in value.items():
            yield from kept_texts(inner, form_of(fields, name))
    elif isinstance(value, list):
        for item in value:
            yield from kept_texts(item, fields)
    elif isinstance(value, str) and isinstance(fields, re.Pattern) and fields.fullmatch(value):
        yield value
