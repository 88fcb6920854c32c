"""``myresource render``: prints the children of MyResources, or the response to Metacontroller, without a cluster."""

import sys
from datetime import UTC, datetime

import click
import msgspec

from app.cli.errors import InputError
from app.cli.files.documents import FILE, load
from app.cli.files.manifests import as_json, as_yaml
from app.cli.files.parents import Json, answered, composed, problems
from app.cli.options import with_watch
from app.core.reasons import INVALID_SPEC
from app.core.watch import Watch
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
    help="MyResources, as YAML or JSON; - is standard input. May be repeated.",
)
@click.option(
    "--observed",
    type=FILE,
    metavar="FILE",
    help="Children as they are in the cluster, such as from: kubectl get deploy,svc -o yaml",
)
@click.option("--related", type=FILE, metavar="FILE", help="Other objects in the cluster that the hook may ask for.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["yaml", "json", "response"]),
    default="yaml",
    show_default=True,
    help="The children as YAML or JSON for kubectl, or the response with the status as Metacontroller gets it.",
)
@click.option("--now", metavar="TIME", help="Time to decide at, as in RFC 3339; default is the present.")
@with_watch
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    files: tuple[str, ...], observed: str | None, related: str | None, output: str, now: str | None, watch: Watch
) -> int:
    """Print the children of a MyResource as manifests, or Metacontroller's whole response.

    To check them with kubectl: myresource render -f web.yaml | kubectl apply --dry-run=client -f -

    Without --observed they are those of a MyResource that was just created. The exit code is 0 if all is well, 1 if a
    spec is invalid, and 2 for any error.
    """
    parents = [(path, parent) for path in files for parent in load(path)]
    if not parents:
        message = f"no MyResource in {', '.join(files)}; give one, such as examples/web.yaml"
        raise InputError(message)
    seen = load(observed) if observed else []
    others = load(related) if related else []
    moment = _time(now)
    wrong = [problem for path, parent in parents for problem in problems(parent, path)]
    named = [(f"{path}: {parent['metadata']['name']}", parent) for path, parent in parents]
    responses = [
        (whose, answered(composed(parent, seen, others, whose, watch), moment, whose, watch)) for whose, parent in named
    ]
    if output == "response":
        click.echo("\n".join(response.decode() for _, response in responses))
    else:
        _print_children([(whose, msgspec.json.decode(response)) for whose, response in responses], output)
    for problem in wrong:
        print(f"myresource: {problem}", file=sys.stderr)
    return 1 if wrong else 0


def _print_children(responses: list[tuple[str, Json]], output: str) -> None:
    """Print all children, and why there are none of a MyResource whose spec is valid."""
    children = [child for _, response in responses for child in response["children"]]
    click.echo(as_json(children) if output == "json" else as_yaml(children), nl=False)
    for whose, response in responses:
        ready = response["status"]["conditions"][0]
        if not response["children"] and ready["reason"] != INVALID_SPEC.name:
            print(f"myresource: {whose}: no children: {ready['reason']}: {ready['message']}", file=sys.stderr)


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
