"""Recordings: hook requests in files, with what was answered to them if that is known.

A file holds what ``serve --record`` writes (path, time, status, request, response), or a request's body alone.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeGuard

import msgspec

from app.cli.errors import InputError
from metahook import Secret

Json = dict[str, Any]
Hook = Literal["sync", "customize"]
Identity = tuple[str, str]
"""Kind and name."""

_PATHS: dict[str, Hook] = {"/sync": "sync", "/customize": "customize"}


@dataclass(frozen=True)
class Recording:
    """A request to a hook, and the answer of then."""

    file: str
    hook: Hook
    request: Json
    status: int | None = None
    response: object = None
    time: datetime | None = None
    """When it was decided, if that is known."""

    @property
    def body(self) -> bytes:
        """The request's body."""
        return msgspec.json.encode(self.request)

    @property
    def parent(self) -> Json:
        """The parent; its shape is known once the hook has answered."""
        found: Json = self.request["parent"]
        return found

    def observed(self) -> dict[Identity, Json]:
        """Return the observed children that the parent controls, or nobody, and that are not being deleted."""
        groups = self.request.get("children")
        shown = [item for group in _values(groups) for item in _values(group)]
        return {(item["kind"], item["metadata"]["name"]): item for item in shown if self._has(item)}

    def _has(self, item: Any) -> bool:  # noqa: ANN401 - kinds that the hook does not read may have any shape
        metadata = item.get("metadata") if isinstance(item, dict) else None
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            return False
        mine = self.parent["metadata"]
        listed = metadata.get("ownerReferences")
        references = [owner for owner in listed if isinstance(owner, dict)] if isinstance(listed, list) else []
        owners = [owner.get("uid") for owner in references if owner.get("controller")]
        here = metadata.get("namespace") == mine["namespace"] and owners in ([], [mine["uid"]])
        return here and isinstance(item.get("kind"), str) and not metadata.get("deletionTimestamp")


def _values(value: object) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []


def is_recording(document: object) -> TypeGuard[Json]:
    """Tell whether *document* is a request, or a recording of one, rather than a Kubernetes object."""
    return isinstance(document, dict) and any(key in document for key in ("request", "body", "parent"))


def recording(document: Json, file: str) -> Recording:
    """Return the recording that *document* of *file* is; raise InputError."""
    request = document if "parent" in document else document.get("request", document.get("body"))
    if not isinstance(request, dict) or not isinstance(request.get("parent"), dict):
        message = f"{file}: not a hook request: it has no parent; give what serve --record wrote, or a request's body"
        raise InputError(message)
    request = _without_redacted(request)
    status = document.get("status")
    response = document.get("response") if request is not document else None
    return Recording(
        file=file,
        hook=_hook(document.get("path"), request, file),
        request=request,
        status=status if isinstance(status, int) else None,
        response=response,
        time=_time(document.get("time")),
    )


def _without_redacted(request: Json) -> Json:
    """Return *request* without Secrets whose content was not recorded: as it would be if they were not known yet."""
    related = request.get("related")
    if not isinstance(related, dict):
        return request
    secrets = _values(related.get(Secret.KIND.group_key))
    known = all(isinstance(item, dict) and item.get("data") for item in secrets)
    left = {group: found for group, found in related.items() if known or group != Secret.KIND.group_key}
    return {**request, "related": left}


def _hook(path: object, request: Json, file: str) -> Hook:
    if not isinstance(path, str):
        return "sync" if "children" in request else "customize"
    hook = _PATHS.get(path.partition("?")[0])
    if hook is None:
        message = f"{file}: its path is neither /sync nor /customize; give requests of these hooks"
        raise InputError(message)
    return hook


def _time(text: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return time if time and time.tzinfo else None
