"""ControllerRevisions: earlier states of a parent, each with the children that have not yet moved on from it.

Source: Metacontroller 4.17, pkg/controller/composite/controller_revision.go; the steps have the same order.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from metahook.protocol.sender import qualified_name
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.claims import NAME, claim
from metahook.simulator.metacontroller.response import Response
from metahook.simulator.metacontroller.rolling import Revision, roll
from metahook.simulator.metacontroller.selector import LABEL, Selects
from metahook.simulator.metacontroller.settings import REVISIONS, Settings
from metahook.simulator.objects import (
    Json,
    copy_json,
    key_of,
    labels,
    reference_to,
    to_json,
    with_metadata,
)
from metahook.simulator.path import look_up, set_value

API_GROUP = "metacontroller.k8s.io/apiGroup"
RESOURCE = "metacontroller.k8s.io/resource"

CallHook = Callable[[Json], Response]
"""Calls the hook for a parent."""


@dataclass(frozen=True)
class Revisions:
    """The revisions of the parents of a controller, whose kinds of children roll."""

    api: ApiServer
    cache: Cache
    settings: Settings

    def response(self, parent: Json, observed: list[Json], selects: Selects, call: CallHook) -> Response:
        """Call the hook for each revision of *parent*; return the newest response, with children that have not moved.

        Raise what *call* raises, and ApiError.
        """
        stored = self._claimed(parent, selects)
        revisions = self._revisions(parent, stored)
        for revision in revisions:
            response = call(revision.parent)
            revision.response = response
            revision.desired = {_identity(child, parent): child for child in response.children}
        latest = revisions[0]
        status = roll(revisions, {_identity(item, None): item for item in observed}, self.settings)
        kept = [latest, *(each for each in revisions[1:] if any(group["names"] for group in each.children))]
        self._write(stored, kept)
        children = dict(latest.desired)
        for revision in kept[1:]:
            for identity in revision.claims():
                if identity in children and identity in revision.desired:
                    children[identity] = revision.desired[identity]
        resyncs = [each.response.resync_after for each in kept if each.response.resync_after > 0]
        finalized = all(each.response.finalized for each in kept)
        return Response(status, list(children.values()), min(resyncs, default=0), finalized)

    def _claimed(self, parent: Json, selects: Selects) -> list[Json]:
        mine = self._labels()
        found = self.cache.all(REVISIONS.kind, parent["metadata"].get("namespace", ""))
        return list(claim(parent, found, self.api, lambda item: mine.items() <= labels(item).items() and selects(item)))

    def _labels(self) -> dict[str, str]:
        kind = self.settings.parent
        return {API_GROUP: kind.api_version.rpartition("/")[0], RESOURCE: kind.plural}

    def _revisions(self, parent: Json, stored: Iterable[Json]) -> list[Revision]:
        """Return a revision for each patch: the newest is the first."""
        paths = self.settings.revision_fields
        newest = _patch(parent, paths)
        latest = Revision(parent, self._new(parent, newest))
        others = []
        for item in stored:
            if item["parentPatch"] == newest:
                latest.item = copy_json(item)
            else:
                others.append(Revision(_patched(parent, item["parentPatch"], paths), copy_json(item)))
        return [latest, *others]

    def _new(self, parent: Json, patch: Json) -> Json:
        metadata = parent["metadata"]
        template = ((parent.get("spec") or {}).get("template") or {}).get("metadata") or {}
        own = {LABEL: metadata["uid"]} if self.settings.generate_selector else template.get("labels") or {}
        mine = self._labels()
        digest = hashlib.sha1(f"{metadata['uid']}{to_json(patch)}".encode(), usedforsecurity=False).hexdigest()
        return {
            "apiVersion": REVISIONS.api_version,
            "kind": REVISIONS.kind,
            "metadata": {
                "name": f"{mine[RESOURCE]}.{mine[API_GROUP]}-{digest}",
                **({"namespace": metadata["namespace"]} if "namespace" in metadata else {}),
                "labels": {**own, **mine},
                "ownerReferences": [reference_to(parent)],
            },
            "parentPatch": patch,
        }

    def _write(self, stored: Iterable[Json], revisions: Iterable[Revision]) -> None:
        """Turn the revisions *stored* into *revisions*; raise ApiError."""
        old, new = ({item["metadata"]["name"]: item for item in items} for items in (stored, _items(revisions)))
        for name, item in old.items():
            if name not in new:
                self.api.delete(key_of(item), NAME, uid=item["metadata"]["uid"])
        for name, item in new.items():
            sent = item if item["children"] else {field: value for field, value in item.items() if field != "children"}
            if name not in old:
                self.api.create(sent, NAME)
            elif to_json(old[name]) != to_json(item):
                self.api.update(with_metadata(sent, resourceVersion=old[name]["metadata"]["resourceVersion"]), NAME)


def _items(revisions: Iterable[Revision]) -> Iterator[Json]:
    return ({**each.item, "children": each.children} for each in revisions)


def _identity(item: Json, parent: Json | None) -> tuple[str, str, str]:
    """Return group, kind and key of *item*: its name alone, if *parent* is given and has a namespace."""
    group = str(item.get("apiVersion", "")).rpartition("/")[0]
    is_relative = parent is not None and parent["metadata"].get("namespace")
    return group, item["kind"], item["metadata"].get("name", "") if is_relative else qualified_name(item)


def _patch(parent: Json, paths: Iterable[str]) -> Json:
    """Return the fields of *parent* at *paths*."""
    return _patched({}, parent, paths)


def _patched(parent: Json, patch: Json, paths: Iterable[str]) -> Json:
    """Return *parent* with the fields of *patch* at *paths*."""
    new: Json = copy_json(parent)
    for path in paths:
        value = look_up(patch, path)
        if value is not None:
            set_value(new, path, value)
    return new
