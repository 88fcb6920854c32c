"""Live objects: what kubectl prints of a cluster, as the requests that Metacontroller would send for them."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from app.cli.errors import InputError
from app.cli.files.parents import composed, is_my_resource
from app.cli.files.recordings import Recording
from app.core.watch import Watch
from metahook import Service
from metahook.protocol.sender import customize_request
from metahook.simulator.objects import controller_of

Json = dict[str, Any]

COLLECT = """\
umask 077
kubectl get myresources.mygroup.example.com --all-namespaces --show-managed-fields -o json > myresources.json
kubectl get deployments.apps --all-namespaces -l controller-uid --show-managed-fields -o json > deployments.json
kubectl get services --all-namespaces --show-managed-fields -o json > services.json
kubectl get configmaps --all-namespaces -o json > configmaps.json
myresource replay myresources.json deployments.json services.json configmaps.json"""
"""Metacontroller labels its children. All Services: one that somebody else made may have the name of ours. No Secrets:
they belong in no file."""


def recordings(objects: list[tuple[str, Json]], watch: Watch) -> Iterator[Recording]:
    """Yield the requests to customize and to sync for each MyResource among *objects*, which come with their files.

    A related kind of which there are none was not collected: nothing is known about it.
    """
    parents = [(file, item) for file, item in objects if is_my_resource(item)]
    owned: dict[str | None, list[Json]] = defaultdict(list)
    near: dict[str, list[Json]] = defaultdict(list)
    for _, item in objects:
        near[_namespace(item)].append(item)
        if not is_my_resource(item):
            owned[controller_of(item)].append(item)
    known = {Service.KIND.group_key, *(f"{item['kind']}.{item['apiVersion']}" for _, item in objects)}
    for file, parent in parents:
        whose = f"{file}: {parent['metadata']['name']}"
        _check_uid(parent, whose)
        mine, others = owned.get(parent["metadata"]["uid"], []), near[_namespace(parent)]
        sync = msgspec.json.decode(composed(parent, mine, others, whose, watch))
        related = {group: found for group, found in sync["related"].items() if group in known}
        yield Recording(file, "customize", msgspec.json.decode(customize_request(parent)))
        yield Recording(file, "sync", {**sync, "related": related})


def _check_uid(parent: Json, whose: str) -> None:
    """Raise InputError if *parent* is from no cluster."""
    if not isinstance(parent["metadata"].get("uid"), str):
        message = f"{whose} has no uid: it is from no cluster; see: myresource render, or myresource diff"
        raise InputError(message)


def _namespace(item: Json) -> str:
    return str(item["metadata"].get("namespace", "default"))
