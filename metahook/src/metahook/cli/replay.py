"""``metahook replay``: shows how a hook responds to recorded requests, and whose Pods would restart."""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path

import click

from metahook.cli.comparison.comparison import Report, compare
from metahook.cli.comparison.responses import HookResponse, HookVersion, other_response, own_response
from metahook.cli.credentials import Credentials, with_credentials
from metahook.cli.errors import EXIT_DIFFERENT, InputError, input_errors
from metahook.cli.files.documents import FILE, documents
from metahook.cli.files.recordings import Recording, is_recording, read_recording
from metahook.cli.hooks import PATHS, LocalHook, open_hook, open_url
from metahook.cli.options import with_hook, with_output
from metahook.protocol.kind import Kind
from metahook.protocol.objects import Object
from metahook.server.clock import utc_now
from metahook.simulator.hook import Hook

SUFFIX = ".json"


@click.command("replay")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@with_hook
@click.option("--against", metavar="URL", help="Compare with another version of the hook, which serves this URL.")
@with_output
@with_credentials
@input_errors()
def command(files: tuple[str, ...], hook: str, against: str | None, output: str, credentials: Credentials) -> int:
    """Show how a hook responds to recorded requests, and whose Pods would restart.

    A FILE is a recording of metahook record, the body of a request, or a directory with such files. The response of the
    hook is compared with that of another version (--against), with the recorded response, or with the observed
    children.

    \b
    Exit status:
      0  no differences were found
      1  differences were found
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    recordings = [recording for file in files for recording in _recordings(file)]
    paths = PATHS | {str(item.hook): item.path.partition("?")[0] for item in recordings if item.path}
    if not against:
        _check_texts(recordings)
    version = _version(open_hook(hook, credentials, paths))
    other = open_url(against, "--against", credentials, paths) if against else None
    report = Report([compare(recording, utc_now(), other, version) for recording in recordings])
    if all(item.difference is None for item in report.comparisons):
        message = "nothing to compare these requests with; give recordings with their responses, or --against URL"
        raise InputError(message)
    with suppress(BrokenPipeError):  # the exit code still tells whether something differs
        print(json.dumps(report.json(), indent=2) if output == "json" else "\n".join(report.lines()))
    return EXIT_DIFFERENT if report.different else 0


def _recordings(path: str) -> Iterable[Recording]:
    """Return the recordings in the file or directory *path*; raise InputError."""
    directory = Path(path)
    # Hidden files are unfinished.
    inner = (file for file in directory.rglob(f"*{SUFFIX}") if not file.name.startswith("."))
    files = sorted(map(str, inner)) if directory.is_dir() else [path]
    found = [(file, document) for file in files for document in documents(file)]
    if not found:
        message = f"{path}: no recording; give what metahook record wrote, or a request's body"
        raise InputError(message)
    return [_recording(document, file) for file, document in found]


def _recording(document: object, file: str) -> Recording:
    if not is_recording(document):
        message = f"{file}: not a hook request; give what metahook record wrote, or a request's body"
        raise InputError(message)
    return read_recording(document, file)


def _check_texts(recordings: Iterable[Recording]) -> None:
    """Raise InputError for a recording without values, if only its response could be compared.

    In it, placeholders also replace the texts that the hook itself writes, such as the name of an image.
    """
    redacted = next((item for item in recordings if item.is_redacted), None)
    if redacted:
        remedy = "record with --values, or compare with another version by --against URL"
        message = f"{redacted.file}: placeholders are in place of the texts of the response; {remedy}"
        raise InputError(message)


def _version(hook: Hook) -> HookVersion:
    """Return *hook* as the version whose responses are compared."""

    def respond(recording: Recording, now: datetime) -> HookResponse:
        if isinstance(hook, LocalHook):
            return own_response(recording, now, hook.controller)
        return other_response(recording, hook, "--hook")

    return HookVersion(respond, _structs)


def _structs(recording: Recording) -> tuple[type[Object], ...]:
    """Return a struct for each kind of children in *recording*."""
    return tuple(map(_struct, recording.groups))


@cache
def _struct(group: str) -> type[Object]:
    """Return a struct of the kind that *group* is of, such as ``Deployment.apps/v1``."""
    kind, _, api_version = group.partition(".")
    return type(kind, (Object,), {"KIND": Kind(api_version, kind, "")})
