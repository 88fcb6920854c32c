"""Requests to a hook about objects in files, as Metacontroller would send them for the same objects in a cluster.

A file has less than a cluster: fields that the API server sets get a value here, and a child without an owner counts
as the parent's. Live objects are in the form in which kubectl prints them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime

import msgspec

from metahook.cli.errors import InputError, program_name
from metahook.cli.files.recordings import Recording
from metahook.cli.hooks.named_hook import LocalHook, fail
from metahook.cli.progress import with_progress
from metahook.protocol.bodies import MalformedRequest, RequestRule
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.objects import Json, group_key
from metahook.protocol.request_builder import (
    Grouped,
    controller_of,
    customize_request,
    group_of,
    matches,
    qualified_name,
    sync_request,
)
from metahook.simulator.apiserver.custom_rules import custom_defaults
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import Settings

_OF_THE_CONTROLLER = {RequestRule.COMPOSITE, RequestRule.DECORATOR, RequestRule.GROUP, RequestRule.NO_FINALIZE}
"""What a request breaks because of the controller that it was composed for."""

_NO_UID = "00000000-0000-0000-0000-000000000000"


class Requests(msgspec.Struct, frozen=True):
    """Composes requests to *hook*, and has it respond; errors begin with a file and a name, *where*."""

    hook: Hook
    settings: Settings

    def answer(self, hook: str, request: bytes, now: datetime, where: str) -> bytes:
        """Return the response to *request*, for the object at *where*; raise InputError."""
        if not isinstance(self.hook, LocalHook):
            return self.hook(hook, request).body
        try:
            return self.hook.controller.handlers[hook](request, now).body
        except MalformedRequest as error:
            why = "no API server would store this object or an observed one"
            why = "the controller does not fit the hook" if error.rule in _OF_THE_CONTROLLER else why
            message = f"{where}: {why}: {error}"
            raise InputError(message) from error
        except RefusedResponse as error:
            message = f"{where}: the hook refuses to respond with {error}; make the spec smaller"
            raise InputError(message) from error
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a hook may raise anything
            fail(error)

    def compose(self, parent: Json, observed: list[Json], others: list[Json], now: datetime, where: str) -> bytes:
        """Return the sync request for *parent*; raise InputError.

        Its children are the *observed* objects that it owns. Its related objects are those that the rules of customize
        select from *observed* and *others*.
        """
        stored = self.stored(parent, observed)
        children = [self._as_child(item, stored) for item in observed]
        related = self.related(stored, [*children, *others], now, where)
        groups: Grouped = {kind.group_key: {} for kind in self.settings.children}
        for item in children:
            if group_of(item) in groups and _is_of(item, stored):
                groups[group_of(item)][qualified_name(item)] = item
        settings = self.settings
        return sync_request(
            stored,
            groups,
            related,
            controller=settings.manifest,
            version=settings.hook("sync").version,
            api=settings.api,
        )

    def edited(self, request: Json, parent: Json, others: list[Json], now: datetime, where: str) -> bytes:
        """Return the sync *request* with *parent* as its parent; raise InputError.

        Those of *others* that the rules of customize select are its related objects too, instead of the recorded ones
        of the same names.
        """
        related = dict(request.get("related") or {})
        for group, selected in self.related(parent, others, now, where).items():
            if selected:  # an absent group means unknown, an empty one that there are none
                names = {item["metadata"]["name"] for item in selected.values()}
                recorded = related.get(group) or {}
                related[group] = {key: item for key, item in recorded.items() if _name(item) not in names} | selected
        name = "object" if self.settings.api == "decorator" else "parent"
        return msgspec.json.encode({**request, name: parent, "related": related})

    def related(self, parent: Json, objects: list[Json], now: datetime, where: str) -> Grouped:
        """Return those of *objects* that the rules of customize select for the stored *parent*; raise InputError."""
        if not self.settings.has_customize:
            return {}
        request = customize_request(parent, controller=self.settings.manifest)
        response = msgspec.json.decode(self.answer("customize", request, now, where))
        namespace = parent["metadata"].get("namespace")
        by_group: dict[str, list[Json]] = defaultdict(list)
        for item in objects:
            by_group[group_of(item)].append(item)
        groups = {(kind.api_version, kind.plural): kind.group_key for kind in self.settings.kinds}
        related: Grouped = {}
        for rule in response.get("relatedResources") or []:
            group = groups.get((rule["apiVersion"], rule["resource"]))
            if group is None:
                message = f"{where}: customize selects {rule['resource']}, which the cluster does not serve"
                raise InputError(message)
            located = [self._in_namespace(namespace, item) for item in by_group[group]]
            selected = [item for item in located if _selects(rule, item)]
            related.setdefault(group, {}).update({qualified_name(item): item for item in selected})
        return related

    def stored(self, parent: Json, observed: list[Json]) -> Json:
        """Return *parent* with the metadata that the API server sets, and the defaults of its CRD."""
        servers = {"uid": _uid(parent, observed), "generation": 1, **parent["metadata"]}
        stored = self._in_namespace("default", {**parent, "metadata": servers})
        return custom_defaults(self.settings.crds)(stored, None)

    def _as_child(self, item: Json, parent: Json) -> Json:
        """Return *item* as a child of *parent*, unless it has owner references."""
        owner = {"uid": parent["metadata"]["uid"], "controller": True}
        child = {**item, "metadata": {"ownerReferences": [owner], **item["metadata"]}}
        return self._in_namespace(parent["metadata"].get("namespace"), child)

    def _in_namespace(self, namespace: str | None, item: Json) -> Json:
        """Return *item* in *namespace*, unless it names one, or is in none."""
        kind = self.settings.kind(item["apiVersion"], item["kind"])
        if not namespace or (kind and not kind.namespaced):
            return item
        return {**item, "metadata": {"namespace": namespace, **item["metadata"]}}


def _selects(rule: Json, item: Json) -> bool:
    """Tell whether *rule* selects *item*: by name, by labels, or all; in one namespace, or in any."""
    metadata = item["metadata"]
    if rule.get("namespace") not in (None, "", metadata.get("namespace")):
        return False
    if rule.get("names"):
        return metadata["name"] in rule["names"]
    return matches(rule.get("labelSelector") or {}, metadata.get("labels"))


def _is_of(child: Json, parent: Json) -> bool:
    """Tell whether *parent* controls *child*. Metacontroller also looks at its labels, which one in a file may lack."""
    own = parent["metadata"]
    is_in_reach = not own.get("namespace") or child["metadata"].get("namespace") == own["namespace"]
    return controller_of(child) == own["uid"] and is_in_reach


def _name(item: object) -> object:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    return metadata.get("name") if isinstance(metadata, dict) else None


def _uid(parent: Json, observed: list[Json]) -> str:
    """Return the uid of *parent* in the owner references of the *observed* children."""
    expected = {"kind": parent["kind"], "name": parent["metadata"]["name"]}.items()
    owners = (owner for item in observed for owner in item["metadata"].get("ownerReferences", []))
    return next((owner["uid"] for owner in owners if expected <= owner.items()), _NO_UID)


def conditions_of(response: bytes) -> Iterator[Json]:
    status = msgspec.json.decode(response).get("status") or {}
    yield from (item for item in status.get("conditions") or [] if isinstance(item, dict))


def ready_of(response: bytes) -> str:
    """Return reason and message of Ready; empty if the *response* has none."""
    found = (item for item in conditions_of(response) if item.get("type") == "Ready")
    return next((f"{item.get('reason')}: {item.get('message')}" for item in found), "")


def invalid_spec(response: bytes, reason: str) -> str:
    """Return the message of Ready if its *reason* says that the spec is invalid; empty if it is valid."""
    found = (item for item in conditions_of(response) if reason and item.get("reason") == reason)
    return next((str(item.get("message")) for item in found), "")


def children_of(response: bytes) -> list[Json]:
    decoded = msgspec.json.decode(response)
    children: list[Json] = decoded.get("children") or decoded.get("attachments") or []
    return children


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
    for file, parent in with_progress(parents, "requests composed"):
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
