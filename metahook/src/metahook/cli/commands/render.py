"""``render``: prints what a hook returns for a new parent: its children, and its status."""

import json
import sys
from datetime import datetime
from typing import NamedTuple

import click
import msgspec

from metahook.cli.binding import traits
from metahook.cli.commands.options import with_files, with_subject
from metahook.cli.errors import InputError, Refused, input_errors, program_name
from metahook.cli.files.documents import FILE, as_yaml
from metahook.cli.files.manifests import load
from metahook.cli.files.metadata import present_fields
from metahook.cli.files.objects import Objects, problem_of, refusal
from metahook.cli.files.recordings import utc_time
from metahook.cli.hooks.requests import Requests, children_of, invalid_spec, ready_of
from metahook.cli.hooks.subject import HookUnderTest
from metahook.clock import utc_now
from metahook.simulator.history import Event
from metahook.simulator.objects import Json
from metahook.simulator.world import NeverQuiet, World

SETTLED, WATCHED = 5.0, 30.0
"""Virtual seconds from which on a failure is a problem, and up to which it is waited for: a child in a Namespace that
was just created fails at first."""


@click.command("render")
@with_files
@click.option(
    "--observed",
    type=FILE,
    metavar="FILE",
    help="File with the children in the cluster, such as from: kubectl get deploy,svc -o yaml",
)
@with_subject
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json", "response"]),
    default="yaml",
    show_default=True,
    help="Output format: manifests as YAML or JSON, or the whole response that Metacontroller gets.",
)
@click.option("--now", metavar="TIME", help="Time of the request, such as 2026-01-31T12:00:00Z. Default is now.")
@input_errors()
def command(files: tuple[str, ...], observed: str | None, subject: HookUnderTest, output: str, now: str | None) -> int:
    """Print the children and the status that a hook returns for a parent that was just created.

    The children are printed as manifests. With --observed, the parent is a stored one with these children. If a cluster
    would refuse one of the objects in the files, nothing is printed but what is wrong, and where.

    \b
    Exit status:
      0  success
      1  a cluster would refuse an object in the files, or something in a response
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    moment = _time(now)
    objects = Objects.found(files, subject.settings)
    rendered = render(objects, subject, moment, observed)
    _print(rendered, output)
    return 0


class Rendered(NamedTuple):
    """The *response* to a sync of *parent*, which is at *where*: a file and a name."""

    parent: Json
    where: str
    response: bytes


def render(objects: Objects, subject: HookUnderTest, moment: datetime, observed: str | None = None) -> list[Rendered]:
    """Return the responses to the parents, which are stored if their children are in the file *observed*; raise Refused
    for what a cluster would refuse of *objects*, or of a response.
    """
    objects.accepted(subject.settings, objects if observed else None)  # one with children is stored
    others = [item.content for item in objects.others]
    children = load(observed) if observed else []
    requests = Requests(subject.hook, subject.settings)
    rendered = []
    for item in objects.parents:
        where = f"{item.file}: {item.name}"
        given = {**item.content, "metadata": present_fields(item.content["metadata"])}
        parent = requests.stored(given, children)
        request = requests.compose(parent, children, others, moment, where)
        rendered.append(Rendered(parent, where, requests.answer("sync", request, moment, where)))
    _check_valid(objects, rendered)
    if not observed:
        _check_in_cluster(objects, subject)
    return rendered


def _print(rendered: list[Rendered], output: str) -> None:
    """Print all, and on standard error why a parent has no children."""
    if output == "response":
        click.echo("\n".join(item.response.decode() for item in rendered))
        return
    found = [each for item in rendered for each in _objects(item, with_status=traits().renders_status)]
    if output == "json":
        click.echo(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}, indent=2, ensure_ascii=False))
    else:
        click.echo("".join(f"---\n{as_yaml(item)}" for item in found), nl=False)
    for item in rendered:
        if (ready := ready_of(item.response)) and not children_of(item.response):
            print(f"{program_name()}: {item.where}: no children: {ready}", file=sys.stderr)


def _objects(item: Rendered, *, with_status: bool) -> list[Json]:
    """Return the children, after the parent with its status if it is asked for *with_status*."""
    parent, response = item.parent, msgspec.json.decode(item.response)
    metadata = {name: parent["metadata"][name] for name in ("name", "namespace") if name in parent["metadata"]}
    identity = {"apiVersion": parent["apiVersion"], "kind": parent["kind"], "metadata": metadata}
    children = children_of(item.response)
    return [{**identity, "status": response.get("status") or {}}, *children] if with_status else children


def _check_valid(objects: Objects, rendered: list[Rendered]) -> None:
    """Raise Refused for a spec that the hook refuses for what only it knows, such as the size of a child."""
    reason = traits().invalid_reason
    found = [
        refusal(item, problem_of(text))
        for item, each in zip(objects.parents, rendered, strict=True)
        if (text := invalid_spec(each.response, reason))
    ]
    if found:
        raise Refused(*found)


def _check_in_cluster(objects: Objects, subject: HookUnderTest) -> None:
    """Raise Refused for what Metacontroller or the API server refuses of the responses."""
    world = subject.world(controllers=False)
    objects.create(world)
    _watch(world)
    if found := failures(world, SETTLED):
        raise Refused(*found)


def _time(text: str | None) -> datetime:
    if text is None:
        return utc_now()
    time = utc_time(text)
    if time is None:
        message = "--now is not a time with a time zone, or is out of range; write it as 2026-01-31T12:00:00Z"
        raise click.UsageError(message)
    return time


def _watch(world: World) -> None:
    """Let WATCHED seconds pass in *world*; raise InputError for a hook that is called in a loop."""
    try:
        world.until(lambda: False, within=WATCHED)
    except NeverQuiet as error:
        message = f"{error}; see what happens with: {program_name()} simulate"
        raise InputError(message) from error


def failures(world: World, since: float) -> list[str]:
    """Return why responses can't be used, and which children the API server refuses, after the time *since*."""
    events = (entry for entry in world.history.entries if isinstance(entry, Event) and entry.at > since)
    return list(dict.fromkeys(f"{event.key}: {event.message}" for event in events))
