"""The commands."""

from collections.abc import Sequence
from typing import NoReturn

import click

from metahook import __version__
from metahook.cli.program import Commands, Program

_COMMANDS = {
    "check": "Find what is wrong with a hook and its manifests.",
    "dev": "Serve a hook while you write it.",
    "diff": "Show what an edit of a parent changes in the cluster.",
    "new": "Write a project with a hook that runs.",
    "record": "Record the requests to a hook.",
    "render": "Print the children and the status that a hook returns.",
    "replay": "Show how a hook responds to recorded requests.",
    "simulate": "Run a hook in a simulated cluster.",
}


@click.group(
    cls=Commands,
    package="metahook.cli",
    summaries=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="metahook")
def _group() -> None:
    """Try a hook of Metacontroller, in any language, without a cluster."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit: 0 success; 1 a finding or a difference; 2 an error."""
    program = Program(_group, "metahook")
    program.complete()
    program.main(arguments)
