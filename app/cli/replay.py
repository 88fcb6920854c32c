"""``myresource replay``: shows how this version responds to recorded requests, and whose Pods would restart."""

import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import click

from app.api.names import KIND
from app.cli.files.live_objects import COLLECT_COMMANDS, live_requests
from app.cli.options import with_watch
from app.core.child_metadata import PASSING_ANNOTATIONS
from app.core.controller import controller
from app.core.desired.children import CHILDREN
from app.core.status.conditions import FOREIGN_FIELDS
from app.core.watch import Watch
from metahook.cli.comparison.comparison import Comparison, Report, compare
from metahook.cli.comparison.responses import HookVersion, Uncompared, own_response
from metahook.cli.credentials import Credentials, with_credentials
from metahook.cli.errors import EXIT_DIFFERENT, InputError, input_errors
from metahook.cli.files.documents import FILE, documents
from metahook.cli.files.manifest import objects
from metahook.cli.files.recordings import Recording, is_recording, read_recording
from metahook.server.clock import utc_now

_SUFFIXES = {".json", ".yaml", ".yml"}


@click.command("replay")
@click.argument("files", nargs=-1, type=FILE, metavar="FILE...")
@click.option("--against", metavar="URL", help="Compare with another version of the hook, which serves this URL.")
@click.option("--from-cluster", is_flag=True, help="Print the commands that collect objects from a cluster.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@with_credentials
@with_watch
@input_errors()
def command(  # noqa: PLR0913 - one argument an option
    files: tuple[str, ...],
    against: str | None,
    output: str,
    *,
    from_cluster: bool,
    credentials: Credentials,
    watch: Watch,
) -> int:
    """Show how this version responds to recorded requests, and whose Pods would restart.

    A FILE is a recording of myresource record, the body of a request, a directory with such files, or live objects from
    kubectl get. The response of this version is compared with that of another version (--against), with the recorded
    response, or with the observed children.

    \b
    Exit status:
      0  no differences were found
      1  differences were found
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    if from_cluster:
        print(COLLECT_COMMANDS)
        return 0
    if not files:
        message = "no FILE; name recordings, or see how to collect live objects: myresource replay --from-cluster"
        raise click.UsageError(message)
    requests = _requests(files, watch, has_other=against is not None)
    report = Report(_compare_all(requests, against, credentials, utc_now(), version_of(watch)), KIND)
    if all(item.difference is None for item in report.comparisons):
        message = "nothing to compare these requests with; give recordings with their responses, or --against URL"
        raise InputError(message)
    with suppress(BrokenPipeError):  # the exit code still tells whether something differs
        print(json.dumps(report.json(), indent=2) if output == "json" else "\n".join(report.lines()))
    return EXIT_DIFFERENT if report.different else 0


def _requests(files: tuple[str, ...], watch: Watch, *, has_other: bool) -> list[Recording]:
    """Return the requests in *files*. Those of live objects to customize can be compared only with another version."""
    read = [(file, document) for name in files for file in _expand(name) for document in documents(file)]
    recorded = [read_recording(document, file) for file, document in read if is_recording(document)]
    live = [(file, item) for file, document in read if not is_recording(document) for item in objects([document], file)]
    composed = [item for item in live_requests(live, watch) if has_other or item.hook == "sync"]
    if not (recorded or composed):
        message = f"no hook request and no MyResource in {', '.join(files)}; see: myresource replay --from-cluster"
        raise InputError(message)
    return [*recorded, *composed]


def _expand(name: str) -> list[str]:
    """Return the files in directory *name*, sorted, without hidden ones, which are unfinished; or the file itself."""
    directory = Path(name)
    if not directory.is_dir():
        return [name]
    files = [path for path in directory.rglob("*") if path.suffix in _SUFFIXES and not path.name.startswith(".")]
    return sorted(str(path) for path in files)


def version_of(watch: Watch) -> HookVersion:
    """Return this version. ``override`` records times, and managers, which a redacted request does not name."""
    own = controller(watch)
    return HookVersion(
        lambda recording, now: own_response(recording, now, own),
        lambda _: CHILDREN,
        Uncompared(
            fields=frozenset({"override"}),
            times={"waiting": "since"},
            conditions=frozenset({FOREIGN_FIELDS.type}),  # it depends on managedFields, which a recording leaves out
            annotations=PASSING_ANNOTATIONS,  # they depend on times, and on managedFields
        ),
    )


def _compare_all(
    requests: list[Recording], against: str | None, credentials: Credentials, now: datetime, version: HookVersion
) -> list[Comparison]:
    if against is None:
        return [compare(item, now, None, version) for item in requests]
    from metahook.cli.remote_hook import RemoteHook  # noqa: PLC0415 - the image has no httpx

    with RemoteHook(against, "--against", credentials) as hook:
        return [compare(item, now, hook, version) for item in requests]
