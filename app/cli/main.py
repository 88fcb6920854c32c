"""The command group. It turns every error into one line and an exit code."""

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

from app import __version__
from app.cli.errors import CLI_EXTRA, InputError

_COMMANDS = {
    "crd": "Print the CustomResourceDefinition.",
    "diff": "Show what an edit of a MyResource changes.",
    "explain": "Explain a reason, a state or a condition.",
    "render": "Print the children of a MyResource as manifests.",
    "replay": "Show how this version responds to recorded requests.",
    "serve": "Serve the hooks.",
    "simulate": "Run a MyResource in a simulated cluster.",
}

_COMPLETE = "_MYRESOURCE_COMPLETE"
"""Variable that the completion script of a shell sets; click reads it under this name."""

_UNWRITABLE = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC}
"""Errors of writing to a file, when standard output is redirected."""


class _Commands(click.Group):
    """The commands. Each is imported when it is used, as serve runs where PyYAML is not installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        try:
            module = importlib.import_module(f"app.cli.{cmd_name}")
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            remedy = "pip install ./metahook, at the root of the repository" if missing == "metahook" else CLI_EXTRA
            message = f"{cmd_name} needs {missing}; install it with: {remedy}"
            raise InputError(message) from error
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="myresource")
def _group() -> None:
    """Preview, simulate and serve MyResources, which the operator turns into Deployments."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 success; 1 invalid spec, difference or unmet expectation; 2 an error occurred."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(encoding="utf-8")  # why here: kubectl reads and writes UTF-8 in any locale
    _complete()
    sys.exit(_exit_code(arguments))


def _complete() -> None:
    """Print completions and exit if a completion script asks for them. Why here: click does so only in its own main."""
    if instruction := os.environ.get(_COMPLETE):
        sys.exit(shell_complete(_group, {}, "myresource", _COMPLETE, instruction))


def _exit_code(arguments: Sequence[str] | None) -> int:
    code = 0
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        print(end="", flush=True)
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _drop_output()
        code = _report(
            f"cannot write the output: {(error.strerror or 'unknown error').lower()}; write to another file", 2
        )
    return code


def _drop_output() -> None:
    """Redirect standard output to nowhere, so that the flush at the end of the process does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    try:
        return _invoke(arguments)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "myresource"
        return _report(f"{_one_line(error)}; see: {path} --help", 2)
    except click.ClickException as error:
        return _report(_one_line(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return 130


def _invoke(arguments: list[str]) -> int:
    try:
        with _group.make_context("myresource", arguments) as context:
            code = _group.invoke(context)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        code = 0
    return code if isinstance(code, int) else 0


def _one_line(error: click.ClickException) -> str:
    line = " ".join(error.format_message().split()).removesuffix(".")
    # Why here: a file name in a message may hold control characters, which would move the cursor. Why not printable()
    # of metahook: this reports also that metahook is not installed.
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def _report(message: str, code: int) -> int:
    print(f"myresource: {message}", file=sys.stderr)
    return code
