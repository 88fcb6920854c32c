"""A program for Widgets, as an operator has one: its hook looks at time, and at a ConfigMap."""

import json
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from metahook import Absence, ConfigMap, Controller, SyncRequest, SyncResponse
from metahook.commands import Binding, Settings, Uncompared, Words, bound_program
from metahook.protocol.request_builder import Grouped, sync_request
from metahook.simulator.metacontroller.children import with_last_applied
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
    parent, config = request.parent, request.related.get(ConfigMap, request.parent.name)
    spec, status = json.loads(parent.spec), json.loads(parent.status)
    status = status if isinstance(status, dict) else {}
    if not spec["image"]:
        return _kept(request, "InvalidSpec", "spec.image: must not be empty")
    if spec.get("config") and config is Absence.MISSING and not status.get("started"):
        return _kept(request, "ConfigNotFound", "create the ConfigMap")
    made = widgets.sync(request, now)
    deployment = made.children[0]
    deployment["metadata"]["annotations"] = {"example.com/generation": str(parent.generation)}
    template = deployment["spec"]["template"]
    template["spec"]["containers"][0] |= {"env": spec["env"]} if spec.get("env") else {}
    template["metadata"]["annotations"] = {"example.com/config": str(getattr(config, "data", None))}
    own = [each for each in made.status["conditions"] if each["type"] == "Ready"]
    times = {"day": now.date().isoformat(), "waiting": {"since": now.isoformat()}}
    stays = {name: status[name] for name in ("started", "waiting") if name in status}
    return replace(made, status={**made.status, **times, **stays, "conditions": own}, resync_after=60)


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
        started={"started": True},
        uncompared=Uncompared(
            fields=frozenset({"seen"}),
            times={"waiting": "since"},
            conditions=frozenset({"Foreign"}),
            annotations=frozenset({"example.com/at"}),
        ),
        hidden=frozenset({"example.com/generation"}),
        replays_redacted=True,
        until=("ready", "quiet"),
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


def created(desired: list[Json], parent: Json, mode: str) -> list[Json]:
    """Return the *desired* children of *parent* as they are stored once Metacontroller has created them in *mode*."""
    recorded: dict[str, Any] = {} if mode == "server-side-apply" else {"managedFields": []}
    children = [owned(child, parent, **recorded) for child in desired]
    if mode == MODES[0]:
        children = [with_last_applied(child, made) for child, made in zip(children, desired, strict=True)]
    return [rolled_out(child) if child["kind"] == "Deployment" else child for child in children]


def in_cluster(parent: Json, mode: str = MODES[0], related: Grouped | None = None) -> list[Json]:
    """Return the children of *parent* as they are stored once they are created in *mode*."""
    return created(response_to(request_of(parent, related=related))["children"], parent, mode)


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
