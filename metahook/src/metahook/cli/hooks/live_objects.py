"""Live objects, as kubectl prints them, and the requests that Metacontroller would send for them."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime

import msgspec

from metahook.cli.errors import InputError, program_name
from metahook.cli.files.recordings import Recording
from metahook.cli.hooks.requests import Requests
from metahook.protocol.objects import Json, group_key
from metahook.protocol.request_builder import controller_of, customize_request


def live_requests(
    objects: list[tuple[str, Json]], requests: Requests, collected: Collection[str], now: datetime
) -> Iterator[Recording]:
    """Yield the requests to customize and to sync for each parent among *objects*, each with its file.

    A related kind without any object was not collected, unless its group is one of *collected*. So it is left out: an
    empty group would mean that the objects do not exist.
    """
    parents = [(file, item) for file, item in objects if _is_parent(item, requests)]
    owned: dict[str | None, list[Json]] = defaultdict(list)
    by_namespace: dict[str, list[Json]] = defaultdict(list)
    for _, item in objects:
        by_namespace[_namespace(item)].append(item)
        if not _is_parent(item, requests):
            owned[controller_of(item)].append(item)
    found = {*collected, *(group_key(kind=item["kind"], api_version=item["apiVersion"]) for _, item in objects)}
    for file, parent in parents:
        where = f"{file}: {parent['metadata']['name']}"
        _check_uid(parent, where)
        children, others = owned.get(parent["metadata"]["uid"], []), by_namespace[_namespace(parent)]
        sync = msgspec.json.decode(requests.compose(parent, children, others, now, where))
        related = {group: members for group, members in sync["related"].items() if group in found}
        if requests.settings.has_customize:
            request = customize_request(parent, controller=requests.settings.manifest)
            yield Recording(file, "customize", msgspec.json.decode(request))
        yield Recording(file, "sync", {**sync, "related": related})


def _is_parent(item: Json, requests: Requests) -> bool:
    settings = requests.settings
    kind = settings.kind(item.get("apiVersion", ""), item["kind"])
    return any(parent.kind == kind for parent in settings.parents)


def _check_uid(parent: Json, where: str) -> None:
    """Raise InputError if *parent* does not come from a cluster."""
    if not isinstance(parent["metadata"].get("uid"), str):
        message = f"{where}: no metadata.uid; get the live object with kubectl, or use: {program_name()} render"
        raise InputError(message)


def _namespace(item: Json) -> str:
    return str(item["metadata"].get("namespace", "default"))
