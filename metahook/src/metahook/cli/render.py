"""``metahook render``: prints what a hook returns for a new parent: its children, and its status."""

import json
import sys

import click
import msgspec

from metahook.cli.errors import InputError, input_errors, program_name
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.cli.objects import Objects
from metahook.cli.options import Subject, with_files, with_subject
from metahook.simulator.history import Call, Event
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import NeverQuiet, World

SETTLED, WATCHED = 5.0, 30.0
"""Virtual seconds from which on a failure is a problem, and up to which it is waited for: a child in a Namespace that
was just created fails at first."""


@click.command("render")
@with_files
@with_subject
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json"]),
    default="yaml",
    show_default=True,
    help="Output format.",
)
@input_errors()
def command(files: tuple[str, ...], subject: Subject, output: str) -> int:
    """Print the children and the status that a hook returns for a parent that was just created.

    Each parent is printed with its status and without its spec, and its children after it, as manifests.

    \b
    Exit status:
      0  success
      1  Metacontroller or the API server would refuse something in a response
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    world = subject.world(controllers=False)
    keys = Objects.read(files, world.settings).create(world)
    _watch(world)
    rendered = [item for key in keys for item in _objects(world, key)]
    click.echo(_as_json(rendered) if output == "json" else _as_yaml(rendered), nl=False)
    problems = failures(world, SETTLED)
    for problem in problems:
        print(f"metahook: {problem}", file=sys.stderr)
    return 1 if problems else 0


def _watch(world: World) -> None:
    """Let WATCHED seconds pass in *world*; raise InputError for a hook that is called in a loop."""
    try:
        world.until(lambda: False, within=WATCHED)
    except NeverQuiet as error:
        message = f"{error}; see what happens with: {program_name()} simulate"
        raise InputError(message) from error


def _objects(world: World, key: Key) -> list[Json]:
    """Return the parent *key* with its status, and its children, as the first response to it has them."""
    call = next((call for call in world.history.calls() if call.key == key), None)
    response = _response(call) if call else {}
    parent = world.get(key)
    metadata = {name: parent["metadata"][name] for name in ("name", "namespace") if name in parent["metadata"]}
    identity = {"apiVersion": parent["apiVersion"], "kind": parent["kind"], "metadata": metadata}
    children = response.get("children") or response.get("attachments") or []
    return [{**identity, "status": response.get("status") or {}}, *children]


def _response(call: Call) -> Json:
    decoded = msgspec.json.decode(call.response or b"{}")
    return decoded if isinstance(decoded, dict) else {}


def failures(world: World, since: float) -> list[str]:
    """Return why responses can't be used, and which children the API server refuses, after the time *since*."""
    events = (entry for entry in world.history.entries if isinstance(entry, Event) and entry.at > since)
    return list(dict.fromkeys(f"{event.key}: {event.message}" for event in events))


def _as_json(objects: list[Json]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2, ensure_ascii=False) + "\n"


def _as_yaml(objects: list[Json]) -> str:
    return "".join(f"---\n{dump_yaml(item)}" for item in objects)
