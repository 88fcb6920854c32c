"""The commands."""

from collections.abc import Sequence
from typing import NoReturn

import click

from metahook import __version__
from metahook.cli.program import CONTEXT, VERBS, VERBS_PACKAGE, Commands, Program

_COMMANDS = {
    **VERBS,
    "check": "Find what is wrong with a hook and its manifests.",
    "dev": "Serve a hook while you write it.",
    "new": "Write a project with a hook that runs.",
}


@click.group(
    cls=Commands,
    package=VERBS_PACKAGE,
    summaries=dict(sorted(_COMMANDS.items())),
    context_settings=CONTEXT,
)
@click.version_option(__version__, prog_name="metahook")
def _group() -> None:
    """Try a hook of Metacontroller, in any language, without a cluster."""


def program() -> Program:
    return Program(_group, "metahook")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit: 0 success; 1 a finding or a difference; 2 an error."""
    metahook = program()
    metahook.complete()
    metahook.main(arguments)
