"""Edits: what a hook responds once the spec of a parent is another one, compared with a parent that is new."""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from metahook.cli.checking.calls import OK, CheckedHook
from metahook.protocol.purity import differing
from metahook.simulator.clock import START
from metahook.simulator.findings.evidence import answered_sync
from metahook.simulator.history import Call, History
from metahook.simulator.objects import Json

_INVALID = re.compile("invalid|error|fail|wrong|refused|rejected", re.IGNORECASE)
"""What a status says of a spec that the hook can't use."""

_OF_PARENT = ("metadata", "status")


@dataclass(frozen=True)
class Edits:
    """Sends requests for parents that had another spec before, in the *calls* of sync of a run."""

    hook: CheckedHook
    calls: tuple[Call, ...]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def to_spec_of(self, history: History) -> Iterator[tuple[str, str]]:
        """Yield rule and sentence for what the hook does wrong if a parent gets the spec of the one in *history*."""
        call = next((call for call in history.calls() if call.status == OK), None)
        if call and self.calls:
            yield from self._remembered(call)
            yield from self._dropped(call)

    def _remembered(self, call: Call) -> Iterator[tuple[str, str]]:
        """Yield a response that a new parent of another name does not get: the hook has kept something of this one."""
        paths = self._differing(call) if self._is_renamed_alike else ""
        if paths:
            message = f"{call.key}: a parent of another name with the same spec gets another response, in {paths}"
            yield "NotPure", f"{message}; keep nothing of earlier requests"

    @cached_property
    def _is_renamed_alike(self) -> bool:
        """Whether another name changes a response only where it has the name; not so for a hash of it."""
        return not self._differing(self.calls[0])

    def _differing(self, call: Call) -> str:
        """Return the paths at which the response to *call* differs from that for the same parent with a new name."""
        end = f"-e{next(self._numbers):03}"
        request = json.loads(call.request)
        metadata = _parent_in(request)["metadata"]
        old = [metadata["name"], metadata["uid"]]
        metadata.update(name=f"{old[0]}{end}", uid=f"{old[1]}{end}")
        response = self._response(call, request)
        if response is None or call.status != OK:
            return ""
        for text in old:
            response = response.replace(f"{text}{end}".encode(), text.encode())
        return differing(call.response, response, stored=False)

    def _dropped(self, call: Call) -> Iterator[tuple[str, str]]:
        """Yield an edit that deletes all children, because the hook can't use the spec."""
        sync, base = answered_sync(call), answered_sync(self.calls[-1])
        if not sync or not base or sync.children or not base.observed or not _is_invalid(sync.response.status or {}):
            return
        request = json.loads(base.call.request)
        parent, new = _parent_in(request), sync.call.parent
        for name in {*parent, *new}.difference(_OF_PARENT):
            parent[name] = new.get(name)
        parent["metadata"]["generation"] = parent["metadata"].get("generation", 0) + 1
        response = self._response(base.call, request)
        if response is not None and not _children_in(response):
            gone = min(map(str, base.observed))
            message = f"{sync.key}: an edit to this spec, which the status calls invalid, deletes {gone} and all others"
            yield "DroppedChildren", f"{message}; go on listing them, in Python with kept=request.children.kept()"

    def _response(self, call: Call, request: Json) -> bytes | None:
        """Return the response to *request*, in place of that of *call*; None if it fails, which is no finding."""
        before = len(self.hook.failures)
        response = self.hook.response(call.hook, json.dumps(request).encode(), START + timedelta(seconds=call.at))
        del self.hook.failures[before:]
        return response


def _parent_in(request: Json) -> Json:
    parent: Json = request.get("parent") or request["object"]
    return parent


def _children_in(response: bytes) -> list[Json]:
    decoded = json.loads(response)
    return decoded.get("children") or decoded.get("attachments") or []


def _is_invalid(status: Json) -> bool:
    """Tell whether *status* says that the spec can't be used: as reason of Ready, as state or phase, or as an error."""
    conditions = status.get("conditions") or ()
    words = [each.get("reason") for each in conditions if (each.get("type"), each.get("status")) == ("Ready", "False")]
    words += [name for name, value in status.items() if value and isinstance(value, str | list)]
    return any(_INVALID.search(str(word)) for word in (*words, status.get("state"), status.get("phase")))
