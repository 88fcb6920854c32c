"""``myresource diff``: shows what an edit of a MyResource changes in its children, and whether Pods restart."""

import sys
from contextlib import suppress
from datetime import datetime

import click

from app.cli.comparison.edit import Edit, Given, of_files, of_recording
from app.cli.comparison.patch import lines, sentence
from app.cli.comparison.pods import of_file
from app.cli.errors import DIFFERENT, InputError, comparison_errors
from app.cli.files.documents import FILE, documents, objects
from app.cli.files.parents import Json, is_my_resource, problems
from app.cli.files.recordings import is_recording, recording
from app.cli.options import with_watch
from app.core.watch import Watch
from metahook.server.clock import utc_now


@click.command("diff")
@click.option(
    "-f", "--filename", "new", type=FILE, required=True, metavar="NEW", help="The MyResource as edited; - is stdin."
)
@click.option(
    "--against",
    "old",
    type=FILE,
    required=True,
    metavar="OLD",
    help="What it was: a MyResource, or a recorded sync request, which has the children as they are.",
)
@with_watch
@comparison_errors()
def command(new: str, old: str, watch: Watch) -> int:
    """Show what an edit of a MyResource changes in its children, and whether it restarts Pods.

    Files may hold the ConfigMaps that the MyResource uses, too: a changed one can restart Pods.

    The exit code is 0 if nothing differs, 1 if something does, and 2 for any error, as with kubectl diff.
    """
    if (new, old) == ("-", "-"):
        message = "NEW and OLD can't both be standard input; name a file for one of them"
        raise click.UsageError(message)
    edit = _edit(new, old, utc_now(), watch)
    shown = lines(edit)
    with suppress(BrokenPipeError):  # the exit code still tells
        _print([*shown, sentence(edit)])
    return DIFFERENT if shown else 0


def _edit(new: str, old: str, now: datetime, watch: Watch) -> Edit:
    edited = _given(objects(documents(new), new), new)
    before = documents(old)
    if len(before) == 1 and is_recording(before[0]):
        with of_file(old):
            return of_recording(recording(before[0], old), edited, now, watch)
    return of_files(_given(objects(before, old), old), edited, now, watch)


def _given(found: list[Json], path: str) -> Given:
    """Return the one MyResource that was *found* in *path*, and what is beside it; raise InputError."""
    parents = [item for item in found if is_my_resource(item)]
    if len(parents) != 1 and len(found) != 1:
        message = f"{path}: holds {len(found)} objects; give a file with one MyResource"
        raise InputError(message)
    parent = (parents or found)[0]
    wrong = problems(parent, path)
    if wrong:
        more = f" (and {len(wrong) - 1} more; see: myresource render -f {path})" if wrong[1:] else ""
        raise InputError(wrong[0] + more)
    return Given(parent, path, [item for item in found if item is not parent])


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
