"""The audit log: the requests of Metacontroller, their effects, and the rights that they needed."""

import json
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from app.core.desired.children import CHILDREN
from metahook.simulator.objects import Json, Key, key_of
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.record import Record, Version

WRITES = ("create", "update", "patch", "delete")


class Right(NamedTuple):
    """A right that a rule of a role grants."""

    group: str
    resource: str
    verb: str


@dataclass(frozen=True)
class Request:
    """A request of Metacontroller. *changed*: whether it changed a resourceVersion."""

    right: Right
    namespace: str
    name: str
    refused: bool
    forbidden: bool
    changed: bool

    @property
    def writes(self) -> bool:
        """Whether the request can change something: the status of a parent, or a child."""
        kinds = {"myresources", *(kind.KIND.plural for kind in CHILDREN)}
        return self.right.verb in WRITES and self.right.resource.partition("/")[0] in kinds

    def __str__(self) -> str:
        return f"{self.right.verb} {self.right.resource} {self.name}"


class Audit:
    """The requests of Metacontroller so far, in the order of their responses."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._position = 0
        self._writers: dict[str, str] = {}
        self._requests: list[Request] = []

    @property
    def requests(self) -> list[Request]:
        """All requests."""
        events = list(self._new())
        for event in sorted(
            events, key=_may_have_written_nothing
        ):  # a stable sort: the first event that returned a version wrote it
            if _is_done(event) and not _wrote_nothing(event):
                self._writers.setdefault(_version(event), event["auditID"])
        for event in events:
            changed = self._changes(event)
            if event["user"]["username"] == METACONTROLLER and event.get("objectRef", {}).get("resource"):
                self._requests.append(_request(event, changed=changed))
        return self._requests

    def _new(self) -> Iterator[Json]:
        """Yield the events since the last call. The last line may be incomplete."""
        with self._file.open("rb") as log:
            log.seek(self._position)
            lines = log.read().split(b"\n")
        for line in lines[:-1]:
            self._position += len(line) + 1
            yield json.loads(line)

    def _changes(self, event: Json) -> bool:
        """Return whether the request of *event* changed a resourceVersion."""
        version = _version(event)
        is_new = not version or self._writers.get(version) == event["auditID"]
        return _is_done(event) and (is_new or event["verb"] == "delete")


def _is_done(event: Json) -> bool:
    done: bool = event["verb"] in WRITES and event["responseStatus"]["code"] < 300
    return done and "dryRun=" not in event["requestURI"]


def _version(event: Json, part: str = "responseObject") -> str:
    item = event.get(part)
    if not isinstance(item, dict):  # a JSON patch is a list
        return ""
    found: str = (item.get("metadata") or {}).get("resourceVersion") or ""
    return found


def _may_have_written_nothing(event: Json) -> bool:
    """Return whether *event* alone does not prove a write; a response with another version than the request does.

    The log can contain it after a patch of another client that returned the same version and changed nothing.
    """
    return _version(event, "requestObject") in ("", _version(event))


def _wrote_nothing(event: Json) -> bool:
    return event["verb"] == "update" and _version(event, "requestObject") == _version(event)


def _request(event: Json, *, changed: bool) -> Request:
    target = event["objectRef"]
    resource = target["resource"] + (f"/{target['subresource']}" if "subresource" in target else "")
    made = event.get("responseObject", {}).get("metadata", {}).get("name", "")
    return Request(
        Right(target.get("apiGroup", ""), resource, event["verb"]),
        target.get("namespace", ""),
        target.get("name") or made,
        refused=event["responseStatus"]["code"] >= 300,
        forbidden=event.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid",
        changed=changed,
    )


def granted(role: Json) -> set[Right]:
    """Return the rights that *role* grants."""
    return {
        Right(group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def drop_incomplete_line(log: Path) -> None:
    """Remove the last line of *log* if the server that wrote it was killed before its end."""
    content = log.read_bytes()
    os.truncate(log, content.rfind(b"\n") + 1)


def stored(log: Path, watched: Record) -> Record:
    """Return every stored version, from the audit *log* and the *watched* record.

    A watch misses versions while the API server is down. The log misses the last versions of a server that is killed.
    """
    found: dict[tuple[int, Key], Version] = {}
    for event in map(json.loads, log.read_bytes().splitlines()):
        item = event.get("responseObject", {})
        if event["responseStatus"]["code"] < 300 and "dryRun=" not in event["requestURI"] and "spec" in item:
            number = int(item["metadata"].get("resourceVersion", 0))
            at = datetime.fromisoformat(event["stageTimestamp"]).timestamp()
            found.setdefault((number, key_of(item)), Version(at, number, deleted=False, item=item))
    for key, versions in watched.versions.items():
        for version in versions:
            found.setdefault((version.number, key), version)
    record = Record()
    for number, key in sorted(found):
        record.add(key, found[number, key])
    return record


def deleted(requests: list[Request]) -> list[str]:
    """Return the objects that *requests* deleted."""
    return [str(request) for request in requests if request.right.verb.startswith("delete") and not request.refused]


class Done:
    """The requests of Metacontroller in a namespace, or about the objects *names* there, since this was created."""

    def __init__(self, audit: Audit, namespace: str, names: Collection[str] = ()) -> None:
        self._audit = audit
        self._namespace = namespace
        self._names = names
        self.start = len(audit.requests)

    @property
    def requests(self) -> list[Request]:
        """All requests about these objects."""
        there = [request for request in self._audit.requests[self.start :] if request.namespace == self._namespace]
        return [request for request in there if not self._names or request.name in self._names]

    @property
    def writes(self) -> list[str]:
        """The requests that changed something."""
        return [str(request) for request in self.requests if request.writes and request.changed]

    @property
    def children(self) -> list[str]:
        """The requests that changed a child."""
        return [write for write in self.writes if "myresources" not in write]

    @property
    def as_simulated(self) -> list[str]:
        """The requests that changed a child, in the format of the simulator."""
        return [_simulated(write) for write in self.children]

    @property
    def statuses(self) -> int:
        """The number of status writes."""
        return len(self.writes) - len(self.children)

    @property
    def useless(self) -> list[str]:
        """The successful write requests that changed nothing."""
        return [
            str(request) for request in self.requests if request.writes and not request.changed and not request.refused
        ]

    def looked_at(self, name: str) -> bool:
        """Return whether a sync of the parent *name* has reached its status update, which starts with a read."""
        return any(request.right.verb == "get" and request.name == name for request in self.requests)


def _simulated(write: str) -> str:
    verb, resource, name = write.split(" ")
    kind = {"deployments": "Deployment", "services": "Service"}[resource]
    return f"{'apply' if verb == 'patch' else verb} {kind} {name}"
