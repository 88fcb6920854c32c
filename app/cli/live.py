"""Live objects: what kubectl prints of a cluster, as the requests that Metacontroller would send for them."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from app.cli.errors import InputError
from app.cli.parents import composed, is_my_resource
from app.cli.recordings import Recording
from app.hooks.sender import customize_request
from app.simulator.objects import controller_of

Json = dict[str, Any]

COLLECT = """\
umask 077
kubectl get myresources.mygroup.example.com --all-namespaces --show-managed-fields -o json > myresources.json
kubectl get deployments.apps --all-namespaces -l controller-uid --show-managed-fields -o json > deployments.json
kubectl get services --all-namespaces --show-managed-fields -o json > services.json
myresource replay myresources.json deployments.json services.json"""
"""Metacontroller labels its children. All Services: one that somebody else made may have the name of ours."""


def recordings(objects: list[tuple[str, Json]]) -> Iterator[Recording]:
    """Yield the requests to customize and to sync for each MyResource among *objects*, which come with their files."""
    parents = [(file, item) for file, item in objects if is_my_resource(item)]
    owned: dict[str | None, list[Json]] = defaultdict(list)
    near: dict[str, list[Json]] = defaultdict(list)
    for _, item in objects:
        if not is_my_resource(item):
            owned[controller_of(item)].append(item)
            near[_namespace(item)].append(item)
    for file, parent in parents:
        yield from _of(parent, file, owned, near)


def _of(
    parent: Json, file: str, owned: dict[str | None, list[Json]], near: dict[str, list[Json]]
) -> Iterator[Recording]:
    metadata = parent["metadata"]
    if not isinstance(metadata.get("uid"), str):
        message = (
            f"{file}: {metadata['name']} has no uid: it is from no cluster; see: myresource render, or myresource diff"
        )
        raise InputError(message)
    mine = owned.get(metadata["uid"], [])
    sync = composed(parent, mine, near.get(_namespace(parent), []), f"{file}: {metadata['name']}")
    yield Recording(file, "customize", msgspec.json.decode(customize_request(parent)))
    yield Recording(file, "sync", msgspec.json.decode(sync))


def _namespace(item: Json) -> str:
    return str(item["metadata"].get("namespace", "default"))
