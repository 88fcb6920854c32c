"""The command group."""

import sys
from collections.abc import Sequence

import click

from app import __version__

try:
    from metahook.cli.program import Commands, Program
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "metahook":
        raise
    remedy = "pip install ./metahook, at the root of the repository"
    print(f"myresource: metahook is not installed; install it with: {remedy}", file=sys.stderr)
    raise SystemExit(2) from error

CLI_EXTRA = "pip install ./metahook '.[cli]', at the root of the repository"
"""What installs the packages that only the command line needs: by path, as the packages are not published."""

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


@click.group(
    cls=Commands,
    package="app.cli",
    summaries=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="myresource")
def _group() -> None:
    """Preview, simulate and serve MyResources, which the operator turns into Deployments."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 success; 1 invalid spec, difference or unmet expectation; 2 an error occurred."""
    program = Program(_group, "myresource", CLI_EXTRA)
    program.complete()
    program.main(arguments)
