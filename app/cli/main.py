"""The command group, and the one place where an error becomes a line and an exit code."""

import importlib
import os
import sys
from collections.abc import Sequence

import click

from app import __version__
from app.cli.errors import Trouble

_COMMANDS = {
    "crd": "Print the CustomResourceDefinition.",
    "diff": "Show what an edit of a MyResource changes.",
    "explain": "Tell what a status reason means, and what to do.",
    "render": "Print what the hook answers for a MyResource.",
    "replay": "Show what another version answers to recorded requests.",
    "serve": "Serve the hooks.",
    "simulate": "Show how a MyResource lives in a simulated cluster.",
}

_EXTRA = "pip install 'myresource-operator[cli]'"


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
            raise Trouble(message) from error
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
    """Run the command and exit: 0 all is well, 1 the input is wrong, 2 it was called wrong.

    For diff and replay: 0 nothing differs, 1 something differs, 2 whatever kept them from telling.
    """
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    code = 0
    try:
        code = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "myresource"
        code = _fail(f"{_sentence(error)}; see: {path} --help", 2)
    except click.ClickException as error:
        code = _fail(_sentence(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to flush must not fail again
    return code


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
