"""Recordings: hook requests in files, with their responses if these are known.

A file holds what ``metahook record`` writes (path, time, status, redacted, request, response), or the body of a
request alone.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal, TypeGuard

import msgspec

from metahook import Metadata, Observed, Secret, try_read
from metahook.cli.errors import InputError, program_name
from metahook.protocol.objects import Json

HookName = Literal["sync", "customize", "finalize"]
Identity = tuple[str, str]
"""Kind and name."""

_PARENTS = ("parent", "object")
_CHILDREN = ("children", "attachments")
"""The fields of a request of a CompositeController, and of a DecoratorController."""


class _Child(Observed, frozen=True):
    kind: str
    metadata: Metadata


class Recording(msgspec.Struct, frozen=True):
    """A request to a hook, and the response that was recorded."""

    file: str
    hook: HookName
    request: Json
    status: int | None = None
    response: object = None
    time: datetime | None = None
    """When the response was decided, in UTC, if that is known."""
    path: str | None = None
    """The path of the hook, if that is known."""
    is_redacted: bool = False
    """Whether placeholders replace values, such as those of environment variables."""

    @property
    def body(self) -> bytes:
        """The request's body."""
        return msgspec.json.encode(self.request)

    @property
    def parent(self) -> Json:
        """The parent. Its metadata has been checked once the hook has responded."""
        parent: Json = _first(self.request, _PARENTS)
        return parent

    @property
    def groups(self) -> Json:
        """The groups of children, by kind; empty for a request to customize."""
        groups = _first(self.request, _CHILDREN)
        return groups if isinstance(groups, dict) else {}

    def observed(self) -> dict[Identity, Json]:
        """Return the observed children, without those of another owner and those that are being deleted."""
        items = [item for group in self.groups.values() for item in _values(group)]
        return {(item["kind"], item["metadata"]["name"]): item for item in items if self._is_child(item)}

    def _is_child(self, item: Any) -> bool:  # noqa: ANN401 - objects that the hook does not read may have any shape
        child, parent = try_read(msgspec.json.encode(item), _Child), self.parent["metadata"]
        if child is None or child.metadata.deletion_timestamp:
            return False
        is_in_reach = not parent.get("namespace") or child.metadata.namespace == parent["namespace"]
        return is_in_reach and not child.metadata.has_other_controller(parent["uid"])


def _first(request: Json, names: Iterable[str]) -> Any:  # noqa: ANN401 - a request may hold anything
    return next((request[name] for name in names if name in request), None)


def _values(value: object) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


def is_recording(document: object) -> TypeGuard[Json]:
    """Tell whether *document* is a request or a recording, and not a Kubernetes object."""
    return isinstance(document, dict) and any(key in document for key in ("request", "body", *_PARENTS))


def read_recording(document: Json, file: str) -> Recording:
    """Return the recording in *document*, from *file*, whose request tells the hook; raise InputError."""
    is_request = any(name in document for name in _PARENTS)
    request = document if is_request else document.get("request", document.get("body"))
    if not isinstance(request, dict) or not isinstance(_first(request, _PARENTS), dict):
        has_parent = isinstance(request, dict) and any(name in request for name in _PARENTS)
        problem = "its parent is no object" if has_parent else "it has no parent"
        remedy = f"give what {program_name()} record wrote, or a request's body"
        message = f"{file}: not a hook request: {problem}; {remedy}"
        raise InputError(message)
    request = _without_redacted(request)
    status, time, path = document.get("status"), document.get("time"), document.get("path")
    response = document.get("response") if request is not document else None
    return Recording(
        file=file,
        hook=_hook_of(request),
        request=request,
        status=status if isinstance(status, int) else None,
        response=response,
        time=utc_time(time) if isinstance(time, str) else None,
        path=path if isinstance(path, str) else None,
        is_redacted=document.get("redacted") is True,
    )


def _without_redacted(request: Json) -> Json:
    """Return *request* without its Secrets if it has no values of them: an absent group means unknown."""
    related = request.get("related")
    if not isinstance(related, dict):
        return request
    secrets = _values(related.get(Secret.KIND.group_key))
    is_recorded = all(isinstance(item, dict) and item.get("data") for item in secrets)
    kept = {group: members for group, members in related.items() if is_recorded or group != Secret.KIND.group_key}
    return {**request, "related": kept}


def _hook_of(request: Json) -> HookName:
    if not any(name in request for name in _CHILDREN):
        return "customize"
    return "finalize" if request.get("finalizing") is True else "sync"


def utc_time(text: str) -> datetime | None:
    """Return the time *text* in UTC; None if it is not a time with a time zone, or is out of range in UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):
        return None
