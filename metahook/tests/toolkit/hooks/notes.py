"""A controller of another author: a Note, whose word is in its ConfigMap and in its status.

It runs on the real control plane and in the simulator. Its related objects are the Services with the label ``note``.
"""

from datetime import datetime
from typing import Any, Protocol

import msgspec

from metahook import (
    ConfigMap,
    Controller,
    CustomizeRequest,
    Kind,
    RelatedRule,
    Service,
    SyncRequest,
    SyncResponse,
    select_by_labels,
)
from metahook.simulator.hook import Hook, Reply

Json = dict[str, Any]

NOTE = Kind("example.com/v1", "Note", "notes")
LABEL = "note"
"""The label of a related Service: the name of its Note."""


class Spec(msgspec.Struct):
    """What a user writes."""

    word: str


def sync(request: SyncRequest, _: datetime) -> SyncResponse:
    """Return the ConfigMap of the parent's name, and the status; both have the parent's word."""
    word = msgspec.json.decode(request.parent.spec, type=Spec).word
    metadata = {"name": request.parent.name, "namespace": request.parent.namespace}
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"word": word}}
    return SyncResponse(status={"word": word}, children=[child])


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Return the rule for the Services with the name of the parent in their label."""
    return [select_by_labels(Service, request.parent.namespace, {LABEL: request.parent.name})]


NOTES = Controller(sync=sync, customize=customize, children=(ConfigMap,))


def note(name: str = "one", word: str = "a", **metadata: Any) -> Json:
    """Return a Note as a user writes it."""
    return {
        "apiVersion": NOTE.api_version,
        "kind": NOTE.kind,
        "metadata": {"name": name, **metadata},
        "spec": {"word": word},
    }


def service(name: str, of: str) -> Json:
    """Return a Service that is related to the Note *of*."""
    metadata = {"name": name, "labels": {LABEL: of}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80}]}}


class Before(Protocol):
    """Is called before a hook, with its name and the request; may reply instead."""

    def __call__(self, hook: str, request: Json, /) -> Reply | None:
        """Return the reply, or None to call the hook."""


class Interceptor:
    """A hook in front of *hook*; a test sets what comes *before* it."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self.before: Before = lambda _hook, _request: None

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply to *body*."""
        return self.before(hook, msgspec.json.decode(body)) or self._hook(hook, body)
