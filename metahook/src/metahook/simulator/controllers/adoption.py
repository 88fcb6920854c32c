"""Which objects are a controller's own: those that it controls, and those that are nobody's and match its selector."""

from collections.abc import Iterable

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.objects import Json, controller_of, deleting, labels, reference_to, with_metadata


def own(owner: Json, found: Iterable[Json], api: ApiServer, actor: str) -> list[Json]:
    """Return those of *found* that *owner* controls; *actor* adopts those that are nobody's, unless they are going."""
    uid, mine = owner["metadata"]["uid"], []
    for item in found:
        if controller_of(item) == uid:
            mine.append(item)
        elif controller_of(item) is None and not deleting(item) and _matches(owner, item):
            owners = [*item["metadata"].get("ownerReferences", []), reference_to(owner)]
            mine.append(api.update(with_metadata(item, ownerReferences=owners), actor))
    return mine


def _matches(owner: Json, item: Json) -> bool:
    """Tell whether the selector of *owner* finds *item*."""
    wanted: dict[str, str] = (owner["spec"].get("selector") or {}).get("matchLabels") or {}
    here = owner["metadata"]["namespace"] == item["metadata"]["namespace"]
    return here and bool(wanted) and wanted.items() <= labels(item).items()
