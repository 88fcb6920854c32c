"""The audit log: what Metacontroller asked of the API server, what changed by it, and which rights that took."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from metahook.simulator.objects import Json, Key, key_of
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.record import Record, Version

WRITES = ("create", "update", "patch", "delete")


class Right(NamedTuple):
    """What a rule of a role grants."""

    group: str
    resource: str
    verb: str


@dataclass(frozen=True)
class Request:
    """A request of Metacontroller. It *changed* something if a resourceVersion is another one now."""

    right: Right
    namespace: str
    name: str
    refused: bool
    forbidden: bool
    changed: bool

    @property
    def writes(self) -> bool:
        """Whether it is one that may change something: a parent's status, a child."""
        kinds = ("myresources", "deployments", "services")
        return self.right.verb in WRITES and self.right.resource.partition("/")[0] in kinds

    def __str__(self) -> str:
        return f"{self.right.verb} {self.right.resource} {self.name}"


class Audit:
    """The requests of Metacontroller so far, in the order in which they were answered."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._position = 0
        self._writers: dict[str, str] = {}
        self._requests: list[Request] = []

    @property
    def requests(self) -> list[Request]:
        """All of them."""
        events = list(self._new())
        for event in sorted(events, key=_may_have_written_nothing):  # stable: then the first to return it wrote it
            if _is_done(event) and not _wrote_nothing(event):
                self._writers.setdefault(_version(event), event["auditID"])
        for event in events:
            changed = self._changes(event)
            if event["user"]["username"] == METACONTROLLER and event.get("objectRef", {}).get("resource"):
                self._requests.append(_request(event, changed=changed))
        return self._requests

    def _new(self) -> Iterator[Json]:
        """Yield the events since the last time; the last line may be half written."""
        with self._file.open("rb") as log:
            log.seek(self._position)
            lines = log.read().split(b"\n")
        for line in lines[:-1]:
            self._position += len(line) + 1
            yield json.loads(line)

    def _changes(self, event: Json) -> bool:
        """Tell whether the request of *event* changed a resourceVersion."""
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
    """Tell whether *event* does not say itself that it wrote: one that got another version back than it sent did.

    It may be logged after a patch by somebody else which got the same version back, and changed nothing.
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
    """Return what the rules of *role* grant."""
    return {
        Right(group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def stored(log: Path, watched: Record) -> Record:
    """Return every version that was stored, from the audit *log* and what was *watched*.

    A watch misses some while the API server is away, and the log misses the last ones of a server that is killed.
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
    """Return the objects that were deleted by *requests*."""
    return [str(request) for request in requests if request.right.verb.startswith("delete") and not request.refused]


class Done:
    """What Metacontroller has done in a namespace since this was made."""

    def __init__(self, audit: Audit, namespace: str) -> None:
        self._audit = audit
        self._namespace = namespace
        self.start = len(audit.requests)

    @property
    def requests(self) -> list[Request]:
        """All requests about objects in the namespace."""
        return [request for request in self._audit.requests[self.start :] if request.namespace == self._namespace]

    @property
    def writes(self) -> list[str]:
        """Those that changed something."""
        return [str(request) for request in self.requests if request.writes and request.changed]

    @property
    def children(self) -> list[str]:
        """Those that changed a child."""
        return [write for write in self.writes if "myresources" not in write]

    @property
    def as_simulated(self) -> list[str]:
        """Those that changed a child, in the simulator's words."""
        return [_simulated(write) for write in self.children]

    @property
    def statuses(self) -> int:
        """How often a status was written."""
        return len(self.writes) - len(self.children)

    @property
    def useless(self) -> list[str]:
        """Those that would write, were accepted, and changed nothing."""
        return [
            str(request) for request in self.requests if request.writes and not request.changed and not request.refused
        ]

    def looked_at(self, name: str) -> bool:
        """Tell whether a sync of the parent *name* has come to its status: it is read before it is written."""
        return any(request.right.verb == "get" and request.name == name for request in self.requests)


def _simulated(write: str) -> str:
    verb, resource, name = write.split(" ")
    kind = {"deployments": "Deployment", "services": "Service"}[resource]
    return f"{'apply' if verb == 'patch' else verb} {kind} {name}"
