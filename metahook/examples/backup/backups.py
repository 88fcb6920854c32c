from datetime import datetime
from typing import ClassVar

import msgspec

from metahook import (
    Absence,
    Conditions,
    Controller,
    CustomizeRequest,
    Kind,
    Manifest,
    Object,
    Observed,
    Parent,
    RelatedRule,
    SyncRequest,
    SyncResponse,
    select_by_name,
    try_read,
)
from metahook.server import Address, serve

SEEN = "example.com/seen"


class BackupSpec(msgspec.Struct):
    app: str
    image: str
    command: list[str]
    keep: int


class AppSpec(Observed, frozen=True):
    replicas: int


class MyApp(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("apps.example.com/v1", "MyApp", "myapps")
    spec: AppSpec


class Seen(msgspec.Struct, frozen=True):
    """A MyApp as it was at a backup or, before its first backup, when sync saw it for the first time."""

    uid: str
    generation: int
    replicas: int


class Job(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("batch/v1", "Job", "jobs")
    status: Conditions | None = None

    @property
    def seen(self) -> Seen | None:
        """The MyApp for which it was created."""
        return try_read((self.metadata.annotation(SEEN) or "").encode(), Seen)

    @property
    def result(self) -> str | None:
        """``Complete`` or ``Failed``; None while it runs."""
        conditions = (self.status and self.status.conditions) or []
        true = {each.type for each in conditions if each.status == "True"}
        return next((result for result in ("Complete", "Failed") if result in true), None)


class Status(msgspec.Struct, omit_defaults=True):
    state: str
    seen: Seen | None = None


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Start a backup if the number of replicas is not that of the last one."""
    parent, spec = request.parent, try_read(request.parent.spec, BackupSpec)
    jobs = sorted(request.children.all(Job), key=lambda job: (job.metadata.creation_timestamp or "", job.metadata.name))
    before = try_read(parent.status, Status) or Status("Unknown")
    app = request.related.get(MyApp, spec.app) if spec else Absence.NOT_SELECTED
    if spec is None or app is Absence.NOT_SELECTED:  # nothing is known of the MyApp: change nothing
        return _response(before, jobs)
    if isinstance(app, Absence):
        return _response(Status(f"MyApp{app.name.capitalize()}", before.seen), jobs)
    current = Seen(app.metadata.uid or "", app.metadata.generation or 0, app.spec.replicas)
    records = [seen for seen in (before.seen, *(job.seen for job in jobs)) if seen and seen.uid == current.uid]
    last = max(records, key=lambda seen: seen.generation, default=current)
    if current.generation > last.generation and current.replicas != last.replicas:
        return _response(Status("BackingUp", last), jobs, _job(parent, spec, current))
    finished = [job for job in jobs if job.result]
    state = "BackingUp" if finished != jobs else f"Backup{jobs[-1].result}" if jobs else "Watching"
    return _response(Status(state, last), [job for job in jobs if job not in finished[: -spec.keep]])


def _job(parent: Parent, spec: BackupSpec, app: Seen) -> Manifest:
    """Return the Job for this generation of the MyApp: its name is in it, so it cannot be created twice."""
    env = [{"name": "REPLICAS", "value": str(app.replicas)}]
    container = {"name": "backup", "image": spec.image, "command": spec.command, "env": env}
    metadata = {
        "name": f"{parent.name}-{app.uid[:8]}-{app.generation}",
        "namespace": parent.namespace,
        # A record in the status alone would skip a backup whose Job could not be created.
        "annotations": {SEEN: msgspec.json.encode(app).decode()},
    }
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}


def _response(status: Status, jobs: list[Job], *new: Manifest) -> SyncResponse:
    """List *jobs* by name: with the update method OnDelete that keeps them, and never runs one of them again."""
    listed = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": job.metadata.name}} for job in jobs]
    return SyncResponse(status=msgspec.to_builtins(status), children=[*listed, *new])


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Select the MyApp that the spec names: each change of it triggers a sync. Another operator owns it."""
    spec = try_read(request.parent.spec, BackupSpec)
    return [select_by_name(MyApp, request.parent.namespace, spec.app)] if spec else []


EXAMPLE_SPEC = {"app": "shop", "image": "backup:1.0", "command": ["backup"], "keep": 3}

BACKUPS = Controller(
    sync=sync,
    children=(Job,),
    customize=customize,
    example_spec=EXAMPLE_SPEC,
    update_methods={Job: "OnDelete"},  # a Job can't be changed
)

if __name__ == "__main__":
    serve(BACKUPS, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
