"""``replay``: shows how a hook responds to recorded requests, and whose Pods would restart."""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

import click

from metahook.cli.binding import Binding, CollectsObjects, Uncompared, binding, own, traits, words
from metahook.cli.commands.options import built_in, with_hook, with_output, with_progress
from metahook.cli.comparison.edits import structs_of
from metahook.cli.comparison.responses import HookResponse, HookVersion, Report, compare, other_response, own_response
from metahook.cli.errors import EXIT_DIFFERENT, InputError, input_errors, program_name
from metahook.cli.files.documents import FILE, Document, documents
from metahook.cli.files.manifests import files_in, manifests_of, present
from metahook.cli.files.recordings import Recording, is_recording, read_recording
from metahook.cli.hooks.credentials import Credentials, with_credentials
from metahook.cli.hooks.named_hook import PATHS, LocalHook, open_hook, open_url
from metahook.cli.hooks.requests import Requests, live_requests
from metahook.clock import utc_now
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES


def _print_commands(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's flag
    if value:
        if not words().collect:
            message = "this program has no such commands; collect the parents and their children with kubectl get"
            raise click.UsageError(message)
        print(words().collect)
        context.exit()


@click.command("replay")
@click.argument("files", nargs=-1, type=FILE, metavar="FILE...")
@with_hook
@click.option("--against", metavar="URL", help="Compare with another version of the hook, which serves this URL.")
@click.option(
    "--from-cluster",
    cls=CollectsObjects,
    hidden=True,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_commands,
    help="Print the commands that collect objects from a cluster.",
)
@with_output
@with_credentials
@input_errors()
def command(
    files: tuple[str, ...], hook: str | None, against: str | None, output: str, credentials: Credentials
) -> int:
    """Show how a hook responds to recorded requests, and whose Pods would restart.

    A FILE is a recording of metahook record, the body of a request, or a directory with such files. A command line
    that is made for one controller also reads live objects from kubectl get. The response of the hook is compared
    with that of another version (--against), with the recorded response, or with the observed children.

    \b
    Exit status:
      0  no differences were found
      1  differences were found
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    if not files:
        see = f", or see how to collect live objects: {program_name()} replay --from-cluster" if words().collect else ""
        message = f"no FILE; name recordings{see}"
        raise click.UsageError(message)
    bound, now = binding(), utc_now()
    read = [(file, document) for name in files for file in files_in(name) for document in documents(file)]
    recordings = [read_recording(each.value, file) for file, each in read if is_recording(each.value)]
    others = [(file, each) for file, each in read if not is_recording(each.value)]
    paths = PATHS | {str(item.hook): item.path.partition("?")[0] for item in recordings if item.path}
    called = built_in(bound.controller(own())) if bound and not hook else open_hook(hook or "", credentials, paths)
    recordings += _live(others, called, bound, now, has_other=against is not None)
    if not recordings:
        message = f"{', '.join(files)}: no {_readable(bound)}"
        raise InputError(message)
    if not against and not traits().replays_redacted:
        _check_texts(recordings)
    other = open_url(against, "--against", credentials, paths) if against else None
    version = version_of(called, traits().uncompared)
    report = Report(
        [compare(item, now, other, version) for item in with_progress(recordings, "requests")], words().parent
    )
    if all(item.difference is None for item in report.comparisons):
        message = "nothing to compare these requests with; give recordings with their responses, or --against URL"
        raise InputError(message)
    with suppress(BrokenPipeError):  # the exit code still tells whether something differs
        print(json.dumps(report.json(), indent=2) if output == "json" else "\n".join(report.lines()))
    return EXIT_DIFFERENT if report.different else 0


def _live(
    documents: list[tuple[str, Document]], hook: Hook, bound: Binding | None, now: datetime, *, has_other: bool
) -> list[Recording]:
    """Return the requests about live objects. Those to customize can be compared only with another version."""
    if documents and bound is None:
        message = f"{documents[0][0]}: not a hook request; give what {program_name()} record wrote, or a request's body"
        raise InputError(message)
    if bound is None or not documents:
        return []
    found = [(file, present(item)) for file, each in documents for item in manifests_of(each, file)]
    requests = Requests(hook, bound.settings(MODES[0], own()))
    return [item for item in live_requests(found, requests, bound.collected, now) if has_other or item.hook == "sync"]


def _readable(bound: Binding | None) -> str:
    """Return what there is none of, and what to give."""
    if bound is None:
        return f"recording; give what {program_name()} record wrote, or a request's body"
    see = f"see: {program_name()} replay --from-cluster" if bound.words.collect else "name recordings"
    return f"hook request and no {bound.words.parent}; {see}"


def _check_texts(recordings: Iterable[Recording]) -> None:
    """Raise InputError for a recording without values, if only its response could be compared.

    In it, placeholders also replace the texts that the hook itself writes, such as the name of an image.
    """
    redacted = next((item for item in recordings if item.is_redacted), None)
    if redacted:
        remedy = "record with --values, or compare with another version by --against URL"
        message = f"{redacted.file}: placeholders are in place of the texts of the response; {remedy}"
        raise InputError(message)


def version_of(hook: Hook, uncompared: Uncompared) -> HookVersion:
    """Return *hook* as the version whose responses are compared: one in this process decides at any time."""

    def respond(recording: Recording, now: datetime) -> HookResponse:
        if isinstance(hook, LocalHook):
            return own_response(recording, now, hook.controller)
        return other_response(recording, hook, "--hook")

    return HookVersion(respond, structs_of, uncompared)
