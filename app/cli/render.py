"""``myresource render``: prints the children of MyResources, or the response to Metacontroller, without a cluster."""

import json
import sys
from collections.abc import Iterator
from datetime import datetime

import click
import msgspec

from app.cli.files.requests import Json, answer_sync, compose_sync
from app.cli.files.validation import problems
from app.cli.options import with_watch
from app.core.reasons import INVALID_SPEC
from app.core.watch import Watch
from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.files.manifest import load
from metahook.cli.files.recordings import utc_time
from metahook.server.clock import utc_now


@click.command("render")
@click.option(
    "-f",
    "--filename",
    "files",
    multiple=True,
    required=True,
    type=FILE,
    metavar="FILE",
    help="File with MyResources, as YAML or JSON; - is standard input. May be repeated.",
)
@click.option(
    "--observed",
    type=FILE,
    metavar="FILE",
    help="File with the children in the cluster, such as from: kubectl get deploy,svc -o yaml",
)
@click.option("--related", type=FILE, metavar="FILE", help="File with related objects, such as ConfigMaps.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json", "response"]),
    default="yaml",
    show_default=True,
    help="Output format: the children as YAML or JSON, or the whole response that Metacontroller gets.",
)
@click.option("--now", metavar="TIME", help="Time of the request, such as 2026-01-31T12:00:00Z. Default is now.")
@with_watch
@input_errors()
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    files: tuple[str, ...], observed: str | None, related: str | None, output: str, now: str | None, watch: Watch
) -> int:
    """Print the children of a MyResource as manifests, or the whole response to Metacontroller.

    \b
    Check them with kubectl:
      myresource render -f web.yaml | kubectl apply --dry-run=client -f -

    Without --observed, render assumes a MyResource that was just created and has no children.

    \b
    Exit status:
      0  success
      1  a spec is invalid
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    parents = [(path, parent) for path in files for parent in load(path)]
    if not parents:
        message = f"no MyResource in {', '.join(files)}; give one, such as examples/web.yaml"
        raise InputError(message)
    children = load(observed) if observed else []
    others = load(related) if related else []
    moment = _time(now)
    invalid = [problem for path, parent in parents for problem in problems(parent, path)]
    responses = []
    for path, parent in parents:
        where = f"{path}: {parent['metadata']['name']}"
        request = compose_sync(parent, children, others, where, watch)
        responses.append((where, answer_sync(request, moment, where, watch)))
    decoded = [(where, msgspec.json.decode(response)) for where, response in responses]
    if output == "response":
        click.echo("\n".join(response.decode() for _, response in responses))
    else:
        _print_children(decoded, output)
    invalid += list(_refused(decoded, invalid))
    for problem in invalid:
        print(f"myresource: {problem}", file=sys.stderr)
    return 1 if invalid else 0


def _print_children(responses: list[tuple[str, Json]], output: str) -> None:
    """Print all children, and on standard error why a MyResource with a valid spec has none."""
    children = [child for _, response in responses for child in response["children"]]
    click.echo(_as_json(children) if output == "json" else _as_yaml(children), nl=False)
    for where, response in responses:
        ready = response["status"]["conditions"][0]
        if not response["children"] and ready["reason"] != INVALID_SPEC.name:
            print(f"myresource: {where}: no children: {ready['reason']}: {ready['message']}", file=sys.stderr)


def _refused(responses: list[tuple[str, Json]], invalid: list[str]) -> Iterator[str]:
    """Yield why the hook refuses a spec that is not among the *invalid* ones, such as for a setting or its size."""
    for where, response in responses:
        ready = response["status"]["conditions"][0]
        problem = f"{where}: {ready['message']}"
        if ready["reason"] == INVALID_SPEC.name and not problem.startswith(tuple(invalid)):
            yield problem


def _as_json(objects: list[Json]) -> str:
    """Return *objects* as a List in JSON."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2, ensure_ascii=False) + "\n"


def _as_yaml(objects: list[Json]) -> str:
    from metahook.cli.files.yaml_documents import dump_yaml  # noqa: PLC0415 - the image has no YAML

    return "".join(f"---\n{dump_yaml(item)}" for item in objects)


def _time(text: str | None) -> datetime:
    if text is None:
        return utc_now()
    time = utc_time(text)
    if time is None:
        message = "--now is not a time with a time zone, or is out of range; write it as 2026-01-31T12:00:00Z"
        raise click.UsageError(message)
    return time
