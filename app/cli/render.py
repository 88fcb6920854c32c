"""``myresource render``: prints exactly the answer that Metacontroller would get, without a cluster."""

import sys
from datetime import UTC, datetime
from typing import Any

import click
import msgspec
import yaml

from app.api.crd import schema
from app.api.names import API_VERSION, KIND
from app.api.reading import InvalidSpec, read
from app.cli.documents import load
from app.cli.errors import InputError
from app.cli.unknown import unknown_fields
from app.core.controller import MYRESOURCE
from app.hooks import CustomizeRequest, MalformedRequest
from app.hooks.sender import children_of, customize_request, related_to, sync_request
from app.web.clock import utc_now

Json = dict[str, Any]

_NO_UID = "00000000-0000-0000-0000-000000000000"


@click.command("render")
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="MyResources, as YAML or JSON; - is standard input. May be repeated.",
)
@click.option(
    "--observed",
    metavar="FILE",
    help="Children as they are in the cluster, such as from: kubectl get deploy,svc -o yaml",
)
@click.option("--related", metavar="FILE", help="Other objects in the cluster that the hook may ask for.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="How to print the answer.",
)
@click.option("--now", metavar="TIME", help="Time to decide at, as in RFC 3339; default is the present.")
def command(files: tuple[str, ...], observed: str | None, related: str | None, output: str, now: str | None) -> int:
    """Print what the hook answers for a MyResource: its children, its status.

    Without --observed it is the answer for a MyResource that was just created. The exit code is 1 if a spec is invalid.
    """
    parents = [(path, parent) for path in files for parent in load(path)]
    seen = load(observed) if observed else []
    others = load(related) if related else []
    moment = _time(now)
    problems = [problem for path, parent in parents for problem in _problems(parent, path)]
    for path, parent in parents:
        _print(_answer(parent, seen, others, moment, path), output)
    for problem in problems:
        print(f"myresource: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _answer(parent: Json, seen: list[Json], others: list[Json], now: datetime, path: str) -> bytes:
    """Return the answer as Metacontroller would get it: customize first, then sync."""
    stored = _as_stored(parent, seen)
    namespace = stored["metadata"]["namespace"]
    children = [_as_child(item, stored) for item in seen]
    try:
        rules = MYRESOURCE.customize(CustomizeRequest.decode(customize_request(stored)))
        owned = children_of(stored, children, *MYRESOURCE.children)
        related = related_to(rules, [*children, *(_in(namespace, item) for item in others)], *MYRESOURCE.children)
        return MYRESOURCE.answer_sync(sync_request(stored, owned, related), now)
    except MalformedRequest as error:
        message = f"{path}: {parent['metadata']['name']}: no API server would store this, or what is observed: {error}"
        raise InputError(message) from error


def _as_stored(parent: Json, seen: list[Json]) -> Json:
    """Return *parent* with the metadata that the API server gives it."""
    made = {"namespace": "default", "uid": _uid(parent, seen), "generation": 1}
    return {**parent, "metadata": {**made, **parent["metadata"]}}


def _uid(parent: Json, seen: list[Json]) -> str:
    """Return the uid by which the observed children know *parent*."""
    wanted = {"kind": KIND, "name": parent["metadata"]["name"]}.items()
    owners = (owner for item in seen for owner in item["metadata"].get("ownerReferences", []))
    return next((owner["uid"] for owner in owners if wanted <= owner.items()), _NO_UID)


def _as_child(item: Json, parent: Json) -> Json:
    """Return *item* as a child of *parent*, unless it says itself whose it is."""
    owner = {"uid": parent["metadata"]["uid"], "controller": True}
    return _in(parent["metadata"]["namespace"], {**item, "metadata": {"ownerReferences": [owner], **item["metadata"]}})


def _in(namespace: str, item: Json) -> Json:
    return {**item, "metadata": {"namespace": namespace, **item["metadata"]}}


def _problems(parent: Json, path: str) -> list[str]:
    """Return what kubectl or the API server would say against *parent*; raise InputError if it is no MyResource."""
    if (parent.get("apiVersion"), parent["kind"]) != (API_VERSION, KIND):
        message = f"{path}: {parent['kind']} is not a MyResource; it needs apiVersion {API_VERSION} and kind {KIND}"
        raise InputError(message)
    where = f"{path}: {parent['metadata']['name']}: "
    spec = parent.get("spec")
    unknown = unknown_fields(spec, schema()["properties"]["spec"], "spec")
    found = read(parent["metadata"]["name"], msgspec.json.encode(spec))
    return [where + problem for problem in (*unknown, *([found.problem] if isinstance(found, InvalidSpec) else []))]


def _time(text: str | None) -> datetime:
    if text is None:
        return utc_now()
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = datetime.min  # noqa: DTZ901 - no time either, as it has no zone
    if time.tzinfo is None:
        message = "--now is not a time with a zone; write it as 2026-01-31T12:00:00Z"
        raise click.UsageError(message)
    return time.astimezone(UTC)


def _print(answer: bytes, output: str) -> None:
    if output == "json":
        click.echo(answer.decode())
    else:
        click.echo("---\n" + yaml.safe_dump(msgspec.json.decode(answer), sort_keys=False, width=120), nl=False)
