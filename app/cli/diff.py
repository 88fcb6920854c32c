"""``myresource diff``: shows what an edit of a MyResource changes in its children, and whether Pods restart."""

import sys
from contextlib import suppress
from datetime import datetime

import click

from app.cli.documents import documents, objects
from app.cli.edit import Edit, of_files, of_recording
from app.cli.errors import DIFFERENT, InputError, errors_are_trouble
from app.cli.parents import Json, problems
from app.cli.patch import lines, sentence
from app.cli.pods import of_file
from app.cli.recordings import is_recording, recording
from app.web.clock import utc_now


@click.command("diff")
@click.option("-f", "--filename", "new", required=True, metavar="NEW", help="The MyResource as edited; - is stdin.")
@click.option(
    "--against",
    "old",
    required=True,
    metavar="OLD",
    help="What it was: a MyResource, or a recorded sync request, which has the children as they are.",
)
@errors_are_trouble()
def command(new: str, old: str) -> int:
    """Show what an edit of a MyResource changes in its children, and whether it restarts Pods.

    The exit code is 0 if nothing differs, 1 if something does, and 2 for any error, as with kubectl diff.
    """
    if (new, old) == ("-", "-"):
        message = "NEW and OLD can't both be standard input; name a file for one of them"
        raise click.UsageError(message)
    edit = _edit(new, old, utc_now())
    shown = lines(edit)
    with suppress(BrokenPipeError):  # the exit code still tells
        _print([*shown, sentence(edit)])
    return DIFFERENT if shown else 0


def _edit(new: str, old: str, now: datetime) -> Edit:
    edited = _only(objects(documents(new), new), new)
    before = documents(old)
    _check(edited, new)
    if len(before) == 1 and is_recording(before[0]):
        with of_file(old):
            return of_recording(recording(before[0], old), edited, new, now)
    stored = _only(objects(before, old), old)
    _check(stored, old)
    return of_files(stored, old, edited, new, now)


def _only(found: list[Json], path: str) -> Json:
    if len(found) != 1:
        message = f"{path}: holds {len(found)} objects; give a file with one MyResource"
        raise InputError(message)
    return found[0]


def _check(parent: Json, path: str) -> None:
    found = problems(parent, path)
    if found:
        more = f" (and {len(found) - 1} more; see: myresource render -f {path})" if found[1:] else ""
        raise InputError(found[0] + more)


def _print(printed: list[str]) -> None:
    if not sys.stdout.isatty():
        print("\n".join(printed))
        return
    from rich.console import Console  # noqa: PLC0415 - only people at a terminal wait for it
    from rich.text import Text  # noqa: PLC0415 - the same

    console = Console()
    for line in printed:
        console.print(Text(line, style=_colour(line)), soft_wrap=True)


def _colour(line: str) -> str:
    colours = {"---": "bold", "+++": "bold", "@@ ": "cyan", "-": "red", "+": "green"}
    return next((colour for start, colour in colours.items() if line.startswith(start)), "")
