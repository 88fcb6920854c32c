"""A program for Widgets, as an operator has one: it keeps what an invalid spec had, and asks to be called again."""

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

from metahook import Absence, ConfigMap, Controller, SyncRequest, SyncResponse
from metahook.commands import Binding, Settings, Uncompared, Words, bound_program
from metahook.protocol.request_builder import Grouped, sync_request
from metahook.simulator.metacontroller.dynamic_apply import with_last_applied
from metahook.simulator.metacontroller.settings import Mode
from toolkit import widgets
from toolkit.builders import NOW, NOW_TEXT, Json, owned, rolled_out
from toolkit.command import CommandResult, run
from toolkit.widgets import WIDGET, WIDGETS, grouped

MODES = ("dynamic-apply", "server-side-apply", "server-side-apply, recorded")
"""The last is without managedFields, which a recording leaves out."""
COLLECT = "kubectl get widgets -o json > widgets.json"


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the response for a Widget; without an image, or without its *config*, the children stay as they were."""
    parent = request.parent
    spec = json.loads(parent.spec)
    if not spec["image"]:
        return _kept(request, "InvalidSpec", "spec.image: must not be empty")
    if spec.get("config") and request.related.get(ConfigMap, parent.name) is Absence.MISSING:
        return _kept(request, "ConfigNotFound", "create the ConfigMap")
    made = widgets.sync(request, now)
    made.children[0]["metadata"]["annotations"] = {"example.com/by": "widgets"}
    status = {**made.status, "day": now.date().isoformat(), "waiting": {"since": now.isoformat()}}
    status["conditions"] = [each for each in status["conditions"] if each["type"] == "Ready"]
    return replace(made, status=status, resync_after=60)


def _kept(request: SyncRequest, reason: str, message: str) -> SyncResponse:
    ready = {"type": "Ready", "status": "False", "reason": reason, "message": message}
    return SyncResponse({"state": "Failed", "conditions": [ready]}, kept=request.children.kept())


CONTROLLER = Controller(sync, WIDGETS.children, widgets.customize)


def _settings(mode: Mode, _: object) -> Settings:
    return Settings(WIDGET, tuple(kind.KIND for kind in WIDGETS.children), mode=mode)


def binding() -> Binding:
    """Return what the program is bound to."""
    return Binding(
        controller=lambda _: CONTROLLER,
        settings=_settings,
        invalid_reason="InvalidSpec",
        uncompared=Uncompared(
            fields=frozenset({"seen"}),
            times={"waiting": "since"},
            conditions=frozenset({"Foreign"}),
            annotations=frozenset({"example.com/at"}),
        ),
        hidden=frozenset({"example.com/at"}),
        replays_redacted=True,
        collected=("Service.v1",),
        words=Words(parent="Widget", example="web.yaml", serve="widgets serve", collect=COLLECT),
    )


def call(*arguments: str) -> CommandResult:
    """Run the program with *arguments*."""
    return run(bound_program("widgets", binding, version="1.0").main, *arguments)


def request_of(parent: Json, *children: Json, related: Grouped | None = None) -> Json:
    """Return the sync request for *parent*."""
    found: Json = json.loads(sync_request(parent, grouped(*children), related or {}))
    return found


def response_to(request: Json, now: datetime = NOW) -> Json:
    """Return the response to a sync *request*."""
    found: Json = json.loads(CONTROLLER.handle_sync(json.dumps(request).encode(), now).body)
    return found


def in_cluster(parent: Json, mode: str = MODES[0]) -> list[Json]:
    """Return the children of *parent* as they are stored once Metacontroller has created them in *mode*."""
    recorded: dict[str, Any] = {} if mode == "server-side-apply" else {"managedFields": []}
    desired = response_to(request_of(parent))["children"]
    children = [owned(child, parent, **recorded) for child in desired]
    if mode == MODES[0]:
        children = [with_last_applied(child, made) for child, made in zip(children, desired, strict=True)]
    return [rolled_out(child) if child["kind"] == "Deployment" else child for child in children]


def settled(parent: Json, mode: str = MODES[0]) -> Json:
    """Return the sync request for *parent*, which is Ready."""
    children = in_cluster(parent, mode)
    status = {**response_to(request_of(parent, *children))["status"], "observedGeneration": 1}
    return request_of({**parent, "status": status}, *children)


def recorded(request: Json) -> Json:
    """Return *request* with its response, as ``record`` writes it."""
    return {"path": "/sync", "time": NOW_TEXT, "status": 200, "request": request, "response": response_to(request)}


def live(*parents: Json, mode: str = MODES[0]) -> list[Json]:
    """Return two lists, as kubectl prints them: *parents*, which are Ready, and their children."""
    ready = [{**parent, "status": settled(parent, mode)["parent"]["status"]} for parent in parents]
    children = [child for parent in parents for child in in_cluster(parent, mode)]
    return [{"apiVersion": "v1", "kind": "List", "items": items} for items in (ready, children)]
