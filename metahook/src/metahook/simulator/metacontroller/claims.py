"""Whose is it? Finds a parent's children, adopts orphans that carry its label, lets go those that lost it.

Source: Metacontroller 4.17, pkg/controller/common/controllerref.
"""

from collections.abc import Callable, Iterable, Iterator

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.objects import Json, controller_of, deleting, key_of, labels, reference_to, with_metadata

LABEL = "controller-uid"
"""The label of generateSelector: the parent's uid."""

NAME = "metacontroller"


def labelled(child: Json, parent: Json) -> Json:
    """Return *child* in the parent's namespace, with the parent's label, unless it says otherwise."""
    metadata = parent["metadata"]
    own = {LABEL: metadata["uid"], **labels(child)}
    namespace = child["metadata"].get("namespace") or metadata["namespace"]
    return with_metadata(child, namespace=namespace, labels=own)


def owned(child: Json, parent: Json) -> Json:
    """Return *child* with the reference to its owner *parent*, unless it names that owner itself."""
    owners = child["metadata"].get("ownerReferences") or []
    if any(owner["uid"] == parent["metadata"]["uid"] for owner in owners):
        return child
    return with_metadata(child, ownerReferences=[*owners, reference_to(parent)])


def claim(parent: Json, found: Iterable[Json], api: ApiServer) -> Iterator[Json]:
    """Yield the children of *parent* among those *found*, all as they were found; raise Refused."""
    uid = parent["metadata"]["uid"]
    for item in found:
        owner = controller_of(item)
        marked = labels(item).get(LABEL) == uid
        if owner == uid and (marked or deleting(parent)):
            if marked:
                yield item
        elif owner == uid:
            _edit(api, item, lambda live: with_metadata(live, ownerReferences=_others(live, uid) or None))
        elif owner is None and marked and not deleting(parent) and not deleting(item) and _adopt(api, item, parent):
            yield item


def _adopt(api: ApiServer, item: Json, parent: Json) -> bool:
    live = api.get(key_of(parent))
    if live is None or live["metadata"]["uid"] != parent["metadata"]["uid"] or deleting(live):
        return False
    return _edit(api, item, lambda found: owned(found, parent))


def _others(item: Json, uid: str) -> list[Json]:
    return [owner for owner in item["metadata"].get("ownerReferences", []) if owner["uid"] != uid]


def _edit(api: ApiServer, item: Json, change: Callable[[Json], Json]) -> bool:
    """Change the object that *item* was found as, and tell whether it is still there; raise Refused."""
    live = api.get(key_of(item))
    if live is None or live["metadata"]["uid"] != item["metadata"]["uid"]:
        return False
    api.update(change(live), NAME)
    return True
