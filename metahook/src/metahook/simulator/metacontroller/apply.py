"""The two ways in which a child is made what the answer says it is; ``--apply-strategy`` chooses.

Source: Metacontroller 4.17, pkg/controller/common/manage_children.go, update strategy InPlace.
"""

from typing import Protocol

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.metacontroller.claims import NAME, owned
from metahook.simulator.metacontroller.dynamic_apply import LAST_APPLIED, SYSTEM, updated, with_last_applied
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, key_of, text, with_metadata


class Apply(Protocol):
    """A way to apply."""

    def __call__(self, child: Json, observed: Json | None, parent: Json) -> None:
        """Make *observed* what *child* says, or make the object if there is none; raise Refused."""


def applier(mode: Mode, api: ApiServer) -> Apply:
    """Return the way to apply that *mode* names."""
    return DynamicApply(api) if mode == "dynamic-apply" else ServerSideApply(api)


class DynamicApply:
    """A merge on the client, by what an annotation says was applied last. Creating what is there already is silent."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def __call__(self, child: Json, observed: Json | None, parent: Json) -> None:
        """Send a POST, a PUT, or nothing if the merge is what is there."""
        if observed is None:
            self._create(owned(with_last_applied(child, child), parent))
            return
        new = updated(observed, child)
        if text(new) != text(observed):
            self._put(new)

    def _create(self, child: Json) -> None:
        try:
            self._api.create(child, NAME)
        except Refused as refusal:
            if refusal.reason != "AlreadyExists":
                raise

    def _put(self, child: Json) -> None:
        try:
            self._api.update(child, NAME)
        except Refused as refusal:
            if refusal.reason not in ("Conflict", "NotFound"):
                raise


class ServerSideApply:
    """A forced apply, left out if the answer and the child's generation are those of the last one."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self._sent: dict[Key, tuple[str, str, str]] = {}

    def __call__(self, child: Json, observed: Json | None, parent: Json) -> None:
        """Send a PATCH, or nothing."""
        wanted = owned(_clean(child), parent)
        key = key_of(wanted)
        if observed is not None:
            if self._sent.get(key) == (text(wanted), *_version(observed)):
                return
            if LAST_APPLIED in (observed["metadata"].get("annotations") or {}):
                self._forget_last_applied(key)
        self._sent[key] = (text(wanted), *_version(self._api.apply(wanted, NAME)))

    def _forget_last_applied(self, key: Key) -> None:
        """Take away what dynamic-apply left, if the process was started with that before."""
        if self._api.get(key) is not None:
            self._api.patch(key, _without_record, NAME)


def _without_record(item: Json) -> Json:
    annotations = item["metadata"].get("annotations") or {}
    return with_metadata(item, annotations={name: value for name, value in annotations.items() if name != LAST_APPLIED})


def _clean(child: Json) -> Json:
    """Return *child* without what an apply never sends."""
    if not child["metadata"].get("name"):
        raise Refused("Invalid", "name is required")
    body = {name: value for name, value in child.items() if name != "status"}
    return with_metadata(body, **dict.fromkeys(SYSTEM))


def _version(item: Json) -> tuple[str, str]:
    """Return what tells that *item* was written by somebody: its generation, or its version if it has none."""
    metadata = item["metadata"]
    return metadata["uid"], str(metadata.get("generation") or metadata["resourceVersion"])
