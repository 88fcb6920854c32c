"""Adoption: a controller owns the objects that it controls, and the orphans that match its selector."""

from collections.abc import Iterable

from metahook.protocol.sender import controller_of
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.objects import Json, is_deleting, labels, reference_to, with_metadata


def claim_matching(owner: Json, found: Iterable[Json], api: ApiServer, actor: str) -> list[Json]:
    """Return those of *found* that *owner* controls; *actor* adopts matching orphans that are not being deleted."""
    uid, owned = owner["metadata"]["uid"], []
    for item in found:
        if controller_of(item) == uid:
            owned.append(item)
        elif controller_of(item) is None and not is_deleting(item) and selects(owner, item):
            owners = [*item["metadata"].get("ownerReferences", []), reference_to(owner)]
            owned.append(api.update(with_metadata(item, ownerReferences=owners), actor))
    return owned


def selects(owner: Json, item: Json) -> bool:
    """Tell whether the selector of *owner* matches *item*."""
    selected: dict[str, str] = (owner["spec"].get("selector") or {}).get("matchLabels") or {}
    is_same_namespace = owner["metadata"]["namespace"] == item["metadata"]["namespace"]
    return is_same_namespace and bool(selected) and selected.items() <= labels(item).items()
