"""The program: the toolkit's commands bound to the operator, and the operator's own."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from app import __version__

try:
    from metahook.commands import bound_program
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "metahook":
        raise
    remedy = "pip install ./metahook, at the root of the repository"
    print(f"myresource: metahook is not installed; install it with: {remedy}", file=sys.stderr)
    raise SystemExit(2) from error

if TYPE_CHECKING:
    from metahook.commands import Binding, Program

CLI_EXTRA = "pip install ./metahook '.[cli]', at the root of the repository"
"""What installs the packages that only the command line needs: by path, as the packages are not published."""

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
    return bound_program(
        "myresource",
        _binding,
        version=__version__,
        about="Preview, simulate and serve MyResources, which the operator turns into Deployments.",
        own=_OWN,
        summaries=_TOOLKIT,
        package="app.cli",
        install=CLI_EXTRA,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit: 0 success; 1 invalid spec, difference or unmet expectation; 2 an error occurred."""
    myresource = program()
    myresource.complete()
    myresource.main(list(sys.argv[1:] if arguments is None else arguments))
