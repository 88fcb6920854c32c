"""Claims: finds a parent's children, adopts orphans with its labels, and releases children without them.

Source: Metacontroller 4.17, pkg/controller/common/controllerref.
"""

from collections.abc import Callable, Iterable, Iterator

from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.metacontroller.settings.selector import LABEL, Selects
from metahook.simulator.objects import Json, is_deleting, key_of, labels, reference_to, with_metadata

NAME = "metacontroller"


def with_parents_namespace(child: Json, parent: Json) -> Json:
    """Return *child* with the namespace of *parent*, unless it sets its own."""
    namespace = child["metadata"].get("namespace") or parent["metadata"].get("namespace")
    return with_metadata(child, namespace=namespace)


def with_parent_label(child: Json, parent: Json) -> Json:
    """Return *child* with the label of *parent*, unless it sets its own."""
    return with_metadata(child, labels={LABEL: parent["metadata"]["uid"], **labels(child)})


def with_owner_reference(child: Json, parent: Json) -> Json:
    """Return *child* with an owner reference to *parent*, unless it already has one."""
    owners = child["metadata"].get("ownerReferences") or []
    if any(owner["uid"] == parent["metadata"]["uid"] for owner in owners):
        return child
    return with_metadata(child, ownerReferences=[*owners, reference_to(parent)])


def claim(parent: Json, found: Iterable[Json], api: ApiServer, selects: Selects) -> Iterator[Json]:
    """Yield the children of *parent* among the cached objects *found*, unchanged; raise ApiError."""
    uid = parent["metadata"]["uid"]
    for item in found:
        owner = controller_of(item)
        if owner not in (None, uid):
            continue
        is_selected = selects(item)
        if owner == uid and (is_selected or is_deleting(parent)):
            if is_selected:
                yield item
        elif owner == uid:
            _edit(api, item, lambda live: with_metadata(live, ownerReferences=_others(live, uid) or None))
        elif is_selected and not is_deleting(parent) and not is_deleting(item) and _adopt(api, item, parent):
            yield item


def _adopt(api: ApiServer, item: Json, parent: Json) -> bool:
    live = api.get(key_of(parent))
    if live is None or live["metadata"]["uid"] != parent["metadata"]["uid"] or is_deleting(live):
        return False
    return _edit(api, item, lambda found: with_owner_reference(found, parent))


def _others(item: Json, uid: str) -> list[Json]:
    return [owner for owner in item["metadata"].get("ownerReferences", []) if owner["uid"] != uid]


def _edit(api: ApiServer, item: Json, change: Callable[[Json], Json]) -> bool:
    """Edit the live object of the cached *item*; return whether it still exists; raise ApiError."""
    live = api.get(key_of(item))
    if live is None or live["metadata"]["uid"] != item["metadata"]["uid"]:
        return False
    api.update(change(live), NAME)
    return True
