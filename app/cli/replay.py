"""``myresource replay``: shows what another version answers to recorded requests, and whose Pods would restart."""

import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import click

from app.cli.comparison.comparison import difference
from app.cli.comparison.report import Found, Report
from app.cli.errors import DIFFERENT, InputError, comparison_errors
from app.cli.files.documents import FILE, documents, objects
from app.cli.files.live import COLLECT, recordings
from app.cli.files.recordings import Recording, is_recording, recording
from app.cli.options import with_watch
from app.core.watch import Watch
from metahook.server.clock import utc_now

_SUFFIXES = {".json", ".yaml", ".yml"}


@click.command("replay")
@click.argument("files", nargs=-1, type=FILE, metavar="FILE...")
@click.option("--against", metavar="URL", help="Compare with the hook that is served there, the other version.")
@click.option("--from-cluster", is_flag=True, help="Print the commands that collect the objects of a cluster.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what differs.",
)
@with_watch
@comparison_errors()
def command(files: tuple[str, ...], against: str | None, output: str, *, from_cluster: bool, watch: Watch) -> int:
    """Show what this version answers to recorded requests, and whose Pods would restart.

    A FILE is a recording of serve --record, a request's body, a folder of those, or live objects from kubectl get. An
    answer is compared with the other version's (--against), or with the recorded one, or else with the children as
    they are.

    The exit code is 0 if nothing differs, 1 if something does, and 2 for any error.
    """
    if from_cluster:
        print(COLLECT)
        return 0
    if not files:
        message = "no FILE; name recordings, or see what to collect with: myresource replay --from-cluster"
        raise click.UsageError(message)
    found = _found(files, watch, customize_too=against is not None)
    report = Report(_compared(found, against, utc_now(), watch))
    if all(item.difference is None for item in report.found):
        message = "nothing to compare these requests with; give recordings with their responses, or --against URL"
        raise InputError(message)
    with suppress(BrokenPipeError):  # the exit code still tells
        print(json.dumps(report.json(), indent=2) if output == "json" else "\n".join(report.lines()))
    return DIFFERENT if report.different else 0


def _found(files: tuple[str, ...], watch: Watch, *, customize_too: bool) -> list[Recording]:
    """Return the requests in *files*; those of live objects to customize only if somebody else can be asked too."""
    documented = [(file, document) for name in files for file in _expanded(name) for document in documents(file)]
    recorded = [recording(document, file) for file, document in documented if is_recording(document)]
    live = [
        (file, item)
        for file, document in documented
        if not is_recording(document)
        for item in objects([document], file)
    ]
    composed = [item for item in recordings(live, watch) if customize_too or item.hook == "sync"]
    if not (recorded or composed):
        message = f"no hook request and no MyResource in {', '.join(files)}; see: myresource replay --from-cluster"
        raise InputError(message)
    return [*recorded, *composed]


def _expanded(name: str) -> list[str]:
    """Return the files in the folder *name*, in order, or the file itself; hidden ones are not finished."""
    folder = Path(name)
    if not folder.is_dir():
        return [name]
    found = [path for path in folder.rglob("*") if path.suffix in _SUFFIXES and not path.name.startswith(".")]
    return sorted(str(path) for path in found)


def _compared(found: list[Recording], against: str | None, now: datetime, watch: Watch) -> list[Found]:
    if against is None:
        return [Found(item, difference(item, now, None, watch)) for item in found]
    from app.cli.elsewhere import Elsewhere  # noqa: PLC0415 - only this needs httpx, which the image does not have

    with Elsewhere(against) as other:
        return [Found(item, difference(item, now, other.answer, watch)) for item in found]
