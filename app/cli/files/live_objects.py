"""Live objects, as kubectl prints them, and the requests that Metacontroller would send for them."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from app.cli.files.requests import compose_sync
from app.cli.files.validation import is_my_resource
from app.core.watch import Watch
from metahook import Service
from metahook.cli.errors import InputError
from metahook.cli.files.recordings import Recording
from metahook.protocol.kind import group_key
from metahook.protocol.sender import controller_of, customize_request

Json = dict[str, Any]

COLLECT_COMMANDS = """\
umask 077
kubectl get myresources.mygroup.example.com --all-namespaces --show-managed-fields -o json > myresources.json
kubectl get deployments.apps --all-namespaces -l controller-uid --show-managed-fields -o json > deployments.json
kubectl get services,ingress,hpa,pdb --all-namespaces --show-managed-fields -o json > others.json
kubectl get configmaps --all-namespaces -o json > configmaps.json
myresource replay myresources.json deployments.json others.json configmaps.json"""
"""The label is the one that Metacontroller sets on children. The other kinds are collected whole: an object of
another owner may have the name of a child. No Secrets are, because their values do not belong in a file."""


def live_requests(objects: list[tuple[str, Json]], watch: Watch) -> Iterator[Recording]:
    """Yield the requests to customize and to sync for each MyResource among *objects*, each with its file.

    A related kind without any object was not collected, so its group is left out: an empty group would mean that the
    objects do not exist.
    """
    parents = [(file, item) for file, item in objects if is_my_resource(item)]
    owned: dict[str | None, list[Json]] = defaultdict(list)
    by_namespace: dict[str, list[Json]] = defaultdict(list)
    for _, item in objects:
        by_namespace[_namespace(item)].append(item)
        if not is_my_resource(item):
            owned[controller_of(item)].append(item)
    found = {group_key(kind=item["kind"], api_version=item["apiVersion"]) for _, item in objects}
    collected = {Service.KIND.group_key} | found
    for file, parent in parents:
        where = f"{file}: {parent['metadata']['name']}"
        _check_uid(parent, where)
        children, others = owned.get(parent["metadata"]["uid"], []), by_namespace[_namespace(parent)]
        sync = msgspec.json.decode(compose_sync(parent, children, others, where, watch))
        related = {group: members for group, members in sync["related"].items() if group in collected}
        yield Recording(file, "customize", msgspec.json.decode(customize_request(parent)))
        yield Recording(file, "sync", {**sync, "related": related})


def _check_uid(parent: Json, where: str) -> None:
    """Raise InputError if *parent* does not come from a cluster."""
    if not isinstance(parent["metadata"].get("uid"), str):
        message = f"{where}: no metadata.uid; get the live object with kubectl, or use: myresource render"
        raise InputError(message)


def _namespace(item: Json) -> str:
    return str(item["metadata"].get("namespace", "default"))
