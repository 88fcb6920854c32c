"""The program: the toolkit's commands bound to the operator, and the operator's own."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click
from click.shell_completion import shell_complete

from app import __version__

if TYPE_CHECKING:
    from metahook.commands import Binding, Program

CLI_EXTRA = "pip install ./metahook '.[cli]', at the root of the repository"
"""What installs the packages that only the command line needs: by path, as the packages are not published."""

_NAME = "myresource"
_ABOUT = "Preview, simulate and serve MyResources, which the operator turns into Deployments."
_HELP = ("-h", "--help")
_CONTEXT = {"help_option_names": _HELP, "max_content_width": 100}
_COMPLETE = f"_{_NAME.upper()}_COMPLETE"

_OWN = {
    "crd": "Print the CustomResourceDefinition.",
    "explain": "Explain a reason, a state or a condition.",
    "import": "Print MyResources for Deployments.",
    "record": "Record the requests to the hook.",
    "serve": "Serve the hooks.",
}
_TOOLKIT = {
    "diff": "Show what an edit of a MyResource changes.",
    "render": "Print the children of a MyResource as manifests.",
    "replay": "Show how this version responds to recorded requests.",
    "simulate": "Run a MyResource in a simulated cluster.",
    "validate": "Check the MyResources in files as a cluster does.",
}


def _binding() -> "Binding":
    from app.cli.bound import binding  # noqa: PLC0415 - serve needs none of it

    return binding()


def program() -> "Program":
    """Return the program with all commands."""
    try:
        from metahook.commands import bound_program  # noqa: PLC0415 - the list of commands needs none of it
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "metahook":
            raise
        remedy = "pip install ./metahook, at the root of the repository"
        print(f"{_NAME}: metahook is not installed; install it with: {remedy}", file=sys.stderr)
        raise SystemExit(2) from error
    return bound_program(
        _NAME,
        _binding,
        version=__version__,
        about=_ABOUT,
        own=_OWN,
        summaries=_TOOLKIT,
        package="app.cli",
        install=CLI_EXTRA,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 success; 1 invalid spec, difference or unmet expectation; 2 an error occurred."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _list_commands(words)
    myresource = program()
    myresource.complete()
    myresource.main(words)


def _list_commands(words: list[str]) -> None:
    """Print the help, the version or names of commands, and exit, if the user asks for no more.

    The program would print the same, but takes three times as long to import.
    """
    commands = [click.Command(name, short_help=summary) for name, summary in {**_TOOLKIT, **_OWN}.items()]
    listed = click.Group(_NAME, commands, help=_ABOUT, context_settings=_CONTEXT)
    click.version_option(__version__, prog_name=_NAME)(listed)
    instruction = os.environ.get(_COMPLETE)
    if instruction and not any(each.name in os.environ.get("COMP_WORDS", "").split() for each in commands):
        sys.exit(shell_complete(listed, {}, _NAME, _COMPLETE, instruction))
    if not instruction and {*words} <= {*_HELP, "--version"}:
        with suppress(OSError):  # of a closed pipe, or a full disk: the program has words for it
            listed.main(words or ["--help"], _NAME, standalone_mode=False)
            print(end="", flush=True)
            sys.exit()
