"""``myresource render``: prints exactly the answer that Metacontroller would get, without a cluster."""

import sys
from datetime import UTC, datetime

import click
import msgspec
import yaml

from app.cli.documents import load
from app.cli.parents import answered, composed, problems
from app.cli.policy import with_policy
from app.core.policy import Policy
from metahook.server.clock import utc_now


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
@with_policy
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    files: tuple[str, ...], observed: str | None, related: str | None, output: str, now: str | None, policy: Policy
) -> int:
    """Print what the hook answers for a MyResource: its children, its status.

    Without --observed it is the answer for a MyResource that was just created. The exit code is 1 if a spec is invalid.
    """
    parents = [(path, parent) for path in files for parent in load(path)]
    seen = load(observed) if observed else []
    others = load(related) if related else []
    moment = _time(now)
    wrong = [problem for path, parent in parents for problem in problems(parent, path)]
    for path, parent in parents:
        whose = f"{path}: {parent['metadata']['name']}"
        _print(answered(composed(parent, seen, others, whose, policy), moment, whose, policy), output)
    for problem in wrong:
        print(f"myresource: {problem}", file=sys.stderr)
    return 1 if wrong else 0


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
