"""``metahook check``: finds what is wrong with a hook and its manifests, and names the command that repeats it."""

import shlex
from functools import partial

import click
from click.core import ParameterSource

from metahook.cli.checking.calls import CheckedHook
from metahook.cli.checking.checks import MANIFESTS, Checks, manifests_only
from metahook.cli.checking.results import FORMATS, Results
from metahook.cli.checking.runs import Runs
from metahook.cli.commands.options import with_files, with_subject_options
from metahook.cli.errors import EXIT_DIFFERENT, EXIT_UNFINISHED, input_errors, program_name
from metahook.cli.files.manifests import Manifests
from metahook.cli.files.objects import Objects, created
from metahook.cli.hooks.credentials import Credentials
from metahook.cli.hooks.named_hook import PATHS, read_hook
from metahook.simulator.metacontroller.settings import Mode

_OWN = {"output", "limit", "only"}
"""The options that only this command has."""

_OF_THE_HOOK = {"files", "hook"}
"""The options that the manifests alone do not need."""


@click.command("check")
@partial(with_subject_options, hook_required=False)
@partial(with_files, required=False)
@click.option("-o", "--output", type=click.Choice([*FORMATS]), default="text", show_default=True, help="Output format.")
@click.option(
    "--limit",
    type=click.FloatRange(min=1),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="Stop after this time, with what was found by then.",
)
@click.option("--only", metavar="CHECK", help="Run this check alone, such as manifests, purity or crash-3.")
@input_errors()
def command(  # noqa: PLR0913 - one argument an option
    *,
    files: tuple[str, ...],
    manifests: tuple[str, ...],
    controller: str | None,
    hook: str | None,
    mode: Mode,
    credentials: Credentials,
    output: str,
    limit: float,
    only: str | None,
) -> int:
    """Find what is wrong with a hook and its manifests.

    The manifests are read, the hook is called twice with the same request and an hour later, and simulated clusters are
    run with the parents, with others like them, and with faults. Each finding names the command that repeats it.
    --only manifests needs neither --hook nor --filename.

    \b
    Exit status:
      0  no findings
      1  findings
      2  an error occurred, or not all checks ran
    """  # noqa: D301 - click keeps the line breaks after this control character
    context = click.get_current_context()
    for parameter in context.command.params if only != MANIFESTS else ():
        if parameter.name in _OF_THE_HOOK and not context.params[parameter.name]:
            raise click.MissingParameter(ctx=context, param=parameter)
    read, results, calls = Manifests.read(manifests, controller, check=False), Results(), 0
    if manifests_only(read, results) and only != MANIFESTS:
        settings = read.settings(mode)
        objects = Objects.read(files, settings)
        paths = {name: read.path_of(name) for name in PATHS}
        checked = CheckedHook(read_hook(hook or "", credentials, paths), limit)
        runs = Runs(checked, settings, tuple(created(item.content) for item in objects.others))
        parents = tuple(created(item.content) for item in objects.parents)
        Checks(read, checked, runs, parents, _simulate, _check).run(results, only)
        results.notes[:0] = settings.gaps
        calls = checked.calls
    click.echo(FORMATS[output](results, calls), nl=False)
    return EXIT_DIFFERENT if results.findings else EXIT_UNFINISHED if results.stopped else 0


def _simulate(*options: str, example: bool = False) -> str:
    """Return the command that simulates the same, with *options*; an *example* is in its standard input."""
    return _command_line("simulate", {"files"} if example else set(), *(["-f", "-"] if example else []), *options)


def _check(*options: str) -> str:
    """Return this command, with *options*."""
    return _command_line("check", set(), *options)


def _command_line(name: str, without: set[str], *options: str) -> str:
    """Return the command *name* with the options of this one, *without* some, and more *options*."""
    context = click.get_current_context()
    words = [program_name(), name]
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not ParameterSource.COMMANDLINE or parameter.name in _OWN | without:
            continue
        value = context.params[parameter.name or ""]
        option = min(parameter.opts, key=len)
        for each in value if isinstance(value, tuple) else (value,):
            words += [option, str(each)]
    return shlex.join([*words, *options])
