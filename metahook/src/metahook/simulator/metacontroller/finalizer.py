"""The finalizer with which a controller delays the deletion of its parents until its finalize hook is done.

Source: Metacontroller 4.17, pkg/controller/common/finalizer.
"""

from typing import NamedTuple

from metahook.simulator.apiserver.store import FINALIZERS, ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json, is_deleting, key_of, with_metadata


class Finalizer(NamedTuple):
    """The finalizer called *name*; it is *enabled* if the controller has a finalize hook."""

    name: str
    enabled: bool

    def is_on(self, parent: Json) -> bool:
        """Tell whether *parent* has the finalizer."""
        return self.name in (parent["metadata"].get("finalizers") or ())

    def synced(self, parent: Json, api: ApiServer) -> Json:
        """Return *parent* with or without the finalizer, as it should be, and store that; raise ApiError."""
        if self.is_on(parent) == self.enabled or (self.enabled and is_deleting(parent)):
            return parent
        return self._put(parent, api) if self.enabled else self.removed(parent, api)

    def removed(self, parent: Json, api: ApiServer) -> Json:
        """Remove the finalizer from the live object of *parent*, and return that; raise ApiError."""
        live = _live(parent, api)
        if not self.is_on(live):
            return live
        left = without_finalizer(live, self.name)
        return api.update(left, NAME) or left  # without its last finalizer, a deleted object is gone

    def _put(self, parent: Json, api: ApiServer) -> Json:
        live = _live(parent, api)
        if self.is_on(live):
            return live
        return api.update(with_metadata(live, finalizers=[*live["metadata"].get("finalizers", []), self.name]), NAME)

    def manages_children_of(self, parent: Json) -> bool:
        """Tell whether the children of *parent* are managed, although the parent may be deleting."""
        finalizers = parent["metadata"].get("finalizers") or ()
        fights_garbage_collection = any(name in finalizers for name in FINALIZERS.values())
        return not is_deleting(parent) or (self.enabled and self.is_on(parent) and not fights_garbage_collection)


def without_finalizer(item: Json, name: str) -> Json:
    """Return *item* without the finalizer *name*."""
    left = [other for other in item["metadata"].get("finalizers") or () if other != name]
    return with_metadata(item, finalizers=left or None)


def _live(parent: Json, api: ApiServer) -> Json:
    """Return the live object of the cached *parent*; raise ApiError if it was deleted or replaced."""
    live = api.get(key_of(parent))
    if live is None or live["metadata"]["uid"] != parent["metadata"]["uid"]:
        raise ApiError("NotFound", f"can't sync the finalizer: {key_of(parent)} not found")
    return live
