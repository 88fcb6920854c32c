"""The command group."""

import importlib
import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

from app import __version__
from app.cli.errors import CLI_EXTRA, InputError
from app.cli.program import Program

_COMMANDS = {
    "crd": "Print the CustomResourceDefinition.",
    "diff": "Show what an edit of a MyResource changes.",
    "explain": "Explain a reason, a state or a condition.",
    "record": "Record the requests to the hook.",
    "render": "Print the children of a MyResource as manifests.",
    "replay": "Show how this version responds to recorded requests.",
    "serve": "Serve the hooks.",
    "simulate": "Run a MyResource in a simulated cluster.",
}

_COMPLETE = "_MYRESOURCE_COMPLETE"
"""Variable that the completion script of a shell sets; click reads it under this name."""


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
    _complete()
    Program(_group, "myresource").main(arguments)


def _complete() -> None:
    """Print completions and exit if a completion script asks for them, as click does only in its own main."""
    if instruction := os.environ.get(_COMPLETE):
        sys.exit(shell_complete(_group, {}, "myresource", _COMPLETE, instruction))
