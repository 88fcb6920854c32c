"""The command group, and the one place where an error becomes a line and an exit code."""

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

from app import __version__
from app.cli.errors import InputError

_COMMANDS = {
    "crd": "Print the CustomResourceDefinition.",
    "diff": "Show what an edit of a MyResource changes.",
    "explain": "Tell what a word in a status means, and what to do.",
    "render": "Print the children of a MyResource as manifests.",
    "replay": "Show what another version answers to recorded requests.",
    "serve": "Serve the hooks.",
    "simulate": "Show how a MyResource lives in a simulated cluster.",
}

_EXTRA = "pip install 'myresource-operator[cli]'"

_COMPLETE = "_MYRESOURCE_COMPLETE"
"""Variable by which the completion of a shell asks, as click names it."""

_UNWRITABLE = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC}
"""Errors of a file that standard output goes to."""


class _Commands(click.Group):
    """Imports a command's module when the command is used: serving needs no YAML."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        try:
            module = importlib.import_module(f"app.cli.{cmd_name}")
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            remedy = "pip install ./metahook, at the root of the repository" if missing == "metahook" else _EXTRA
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
    """MyResource operator: one short custom resource in, a production-grade Deployment out."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 all is well, 2 an error kept the command from its result.

    1 is a result: a spec is invalid, something differs, or an expectation is not met.
    """
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            stream.reconfigure(encoding="utf-8")  # whatever the locale is: kubectl reads and writes nothing else
    _complete()
    sys.exit(_run(arguments))


def _complete() -> None:
    """Print what a shell asks for, and exit, if it is a shell that asks. Click would do so only in its own main()."""
    if instruction := os.environ.get(_COMPLETE):
        sys.exit(shell_complete(_group, {}, "myresource", _COMPLETE, instruction))


def _run(arguments: Sequence[str] | None) -> int:
    code = 0
    try:
        code = _ended(sys.argv[1:] if arguments is None else list(arguments))
        print(end="", flush=True)
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _drop_output()
        code = _fail(f"cannot write the output: {(error.strerror or 'unknown error').lower()}; write it elsewhere", 2)
    return code


def _drop_output() -> None:
    """Make sure that flushing what is left of the output, at the end of the process, does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ended(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    try:
        return _invoke(arguments)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "myresource"
        return _fail(f"{_sentence(error)}; see: {path} --help", 2)
    except click.ClickException as error:
        return _fail(_sentence(error), error.exit_code)
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


def _sentence(error: click.ClickException) -> str:
    line = " ".join(error.format_message().split()).removesuffix(".")
    return "".join(letter if letter.isprintable() else "?" for letter in line)  # names are anybody's


def _fail(message: str, code: int) -> int:
    print(f"myresource: {message}", file=sys.stderr)
    return code
