"""``myresource diff``: shows what an edit of a MyResource changes in its children, and whether Pods restart."""

import sys
from contextlib import suppress
from datetime import datetime

import click

from app.cli.edit import Edit, ParentFile, edit_of_file, edit_of_recording
from app.cli.files.validation import Json, is_my_resource, problems
from app.cli.options import with_watch
from app.core.watch import Watch
from metahook.cli.comparison.children import has_pods, name_file_in_errors
from metahook.cli.errors import EXIT_DIFFERENT, InputError, input_errors
from metahook.cli.files.documents import FILE, documents
from metahook.cli.files.manifest import objects
from metahook.cli.files.recordings import is_recording, read_recording
from metahook.server.clock import utc_now


@click.command("diff")
@click.option(
    "-f",
    "--filename",
    "new",
    type=FILE,
    required=True,
    metavar="NEW",
    help="File with the edited MyResource; - is standard input.",
)
@click.option(
    "--against",
    "old",
    type=FILE,
    required=True,
    metavar="OLD",
    help="File with the MyResource before the edit, or a recorded sync request, which also contains the children "
    "in the cluster.",
)
@with_watch
@input_errors()
def command(new: str, old: str, watch: Watch) -> int:
    """Show what an edit of a MyResource changes in its children, and whether it restarts Pods.

    The files may also contain the ConfigMaps that the MyResource uses: a change in one of them can restart Pods.

    \b
    Exit status:
      0  no differences were found
      1  differences were found
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    from metahook.cli.comparison.unified_diff import diff_lines  # noqa: PLC0415 - the image has no YAML

    if (new, old) == ("-", "-"):
        message = "NEW and OLD can't both be standard input; name a file for one of them"
        raise click.UsageError(message)
    edit = _edit(new, old, utc_now(), watch)
    lines = diff_lines(edit)
    with suppress(BrokenPipeError):  # the exit code still tells whether something differs
        _print([*lines, _sentence(edit, is_changed=bool(lines))])
    return EXIT_DIFFERENT if lines else 0


def _edit(new_path: str, old_path: str, now: datetime, watch: Watch) -> Edit:
    new = _parent_file(objects(documents(new_path), new_path), new_path)
    old = documents(old_path)
    if len(old) == 1 and is_recording(old[0]):
        with name_file_in_errors(old_path):
            return edit_of_recording(read_recording(old[0], old_path), new, now, watch)
    return edit_of_file(_parent_file(objects(old, old_path), old_path), new, now, watch)


def _sentence(edit: Edit, *, is_changed: bool) -> str:
    """Return what happens to the Pods."""
    before, after = ({key for key in children if key[0] == "Deployment"} for children in (edit.before, edit.after))
    if not edit.has_deployment:
        created = "No Pods are running: the Deployment would be created."
        return created if after else f"No Pods are running: the Deployment would not be created. {edit.ready}"
    if before - after:
        return "Pods are deleted: the Deployment would be removed."
    if edit.restart_paths and not all(has_pods(edit.before[key]) for key in before):
        return "No Pods are running: the Deployment has 0 replicas."
    if edit.restart_paths:
        return f"Pods restart: {', '.join(edit.restart_paths)}"
    return "Pods keep running." if is_changed else "Nothing changes. Pods keep running."


def _parent_file(items: list[Json], path: str) -> ParentFile:
    """Return the one MyResource among the *items* of the file *path*, and the others; raise InputError."""
    parents = [item for item in items if is_my_resource(item)]
    if len(parents) != 1 and len(items) != 1:
        message = f"{path}: {len(items)} objects, {len(parents)} of them MyResources; give a file with one MyResource"
        raise InputError(message)
    parent = (parents or items)[0]
    wrong = problems(parent, path)
    if wrong:
        more = f" (and {len(wrong) - 1} more; see: myresource render -f {path})" if wrong[1:] else ""
        raise InputError(wrong[0] + more)
    return ParentFile(parent, path, [item for item in items if item is not parent])


def _print(lines: list[str]) -> None:
    if not sys.stdout.isatty():
        print("\n".join(lines))
        return
    from rich.console import Console  # noqa: PLC0415 - importing it takes time, and only a terminal needs it
    from rich.text import Text  # noqa: PLC0415 - the same

    console = Console()
    for line in lines:
        console.print(Text(line, style=_style(line)), soft_wrap=True)


def _style(line: str) -> str:
    styles = {"---": "bold", "+++": "bold", "@@ ": "cyan", "-": "red", "+": "green"}
    return next((style for start, style in styles.items() if line.startswith(start)), "")
