"""The fields of CompositeController and DecoratorController, and what is wrong with those in a file.

The API server drops a field that it does not know, so that a misspelt one has no effect. Source: Metacontroller 4.17,
its CRDs.
"""

import difflib
from collections.abc import Iterator
from typing import Any

from metahook.simulator.apiserver.custom_rules import Path, Problem

TEXT, NUMBER, SWITCH = "a string", "a whole number", "true or false"
_TYPES: dict[str, type] = {TEXT: str, NUMBER: int, SWITCH: bool}

Fields = Any
"""What a field holds: TEXT, NUMBER, SWITCH; a tuple of words, one of which it is; a list of what its items hold; or the
fields of an object, of which a name with ``!`` at its end is required, and ``*`` is any name."""


_SECRET: Fields = {"name!": TEXT, "namespace": TEXT}
_KEY: Fields = {**_SECRET, "key": TEXT}
_ENDPOINT: Fields = {
    "authorization": {"secretRef!": _KEY, "type": TEXT},
    "basicAuth": {"secretRef!": _SECRET, "usernameKey": TEXT, "passwordKey": TEXT},
    "caBundle": {"configMapRef": _KEY, "secretRef": _KEY, "inline": TEXT},
    "clientTLS": {"secretRef!": _SECRET, "certKey": TEXT, "privateKeyKey": TEXT},
}
_WEBHOOK: Fields = {
    **_ENDPOINT,
    "etag": {"enabled": SWITCH, "cacheCleanupSeconds": NUMBER, "cacheTimeoutSeconds": NUMBER},
    "path": TEXT,
    "responseUnMarshallMode": ("strict", "loose"),
    "service": {"name!": TEXT, "namespace!": TEXT, "port": NUMBER, "protocol": TEXT},
    "timeout": TEXT,
    "url": TEXT,
}
_HOOK: Fields = {"version": ("v1", "v2"), "webhook": _WEBHOOK}
_HOOKS: Fields = {"sync!": _HOOK, "customize": _HOOK, "finalize": _HOOK}
_EXPRESSIONS: Fields = [{"key!": TEXT, "operator!": ("In", "NotIn", "Exists", "DoesNotExist"), "values": [TEXT]}]
_RESOURCE: Fields = {"apiVersion!": TEXT, "resource!": TEXT}
_PARENT: Fields = {
    **_RESOURCE,
    "ignoreStatusChanges": SWITCH,
    "labelSelector": {"matchLabels": {"*": TEXT}, "matchExpressions": _EXPRESSIONS},
}
_METHOD = ("InPlace", "OnDelete", "Recreate", "RollingInPlace", "RollingRecreate")
_CONDITIONS: Fields = [{"type!": TEXT, "status": TEXT, "reason": TEXT}]
_COMMON: Fields = {"resyncPeriodSeconds": NUMBER, "endpointConfigs": [{"host!": TEXT, **_ENDPOINT}]}

SPECS: dict[str, Fields] = {
    "CompositeController": {
        **_COMMON,
        "parentResource!": {**_PARENT, "revisionHistory": {"fieldPaths": [TEXT]}},
        "childResources": [
            {**_RESOURCE, "updateStrategy": {"method": _METHOD, "statusChecks": {"conditions": _CONDITIONS}}}
        ],
        "generateSelector": SWITCH,
        "hooks!": {**_HOOKS, "preUpdateChild": _HOOK, "postUpdateChild": _HOOK},
    },
    "DecoratorController": {
        **_COMMON,
        "resources!": [
            {**_PARENT, "annotationSelector": {"matchAnnotations": {"*": TEXT}, "matchExpressions": _EXPRESSIONS}}
        ],
        "attachments": [{**_RESOURCE, "updateStrategy": {"method": _METHOD}}],
        "hooks!": _HOOKS,
    },
}
"""The spec of each kind of controller."""


def field_problems(value: object, fields: Fields, path: Path = ()) -> Iterator[Problem]:
    """Yield what is wrong with *value*, at *path*, which is to hold *fields*. Null counts as absent."""
    if isinstance(fields, dict):
        yield from _object_problems(value, fields, path)
    elif isinstance(fields, list):
        if not isinstance(value, list):
            yield Problem(path, "must be a list")
            return
        for index, item in enumerate(value):
            yield from field_problems(item, fields[0], (*path, index))
    elif isinstance(fields, tuple):
        if value not in fields:
            yield Problem(path, f"must be one of {', '.join(fields)}")
    elif type(value) is not _TYPES[fields]:
        yield Problem(path, f"must be {fields}")


def _object_problems(value: object, fields: Fields, path: Path) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(path, "must be an object")
        return
    inner = {name.removesuffix("!"): field for name, field in fields.items()}
    for name, content in value.items():
        if name not in inner and "*" not in inner:
            close = difflib.get_close_matches(name, inner, n=1)
            yield Problem((*path, name), f"unknown field; {f'did you mean {close[0]}?' if close else 'remove it'}")
        elif content is not None:
            yield from field_problems(content, inner.get(name, inner.get("*")), (*path, name))
    for name in fields:
        if name.endswith("!") and value.get(name.removesuffix("!")) is None:
            yield Problem((*path, name.removesuffix("!")), "missing; add it")
