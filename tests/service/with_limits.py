"""``python -m app`` with other constants among its limits, so that a test need not wait for them.

Such as ``python -m tests.service.with_limits head_timeout=1 serve --port=8080``.
"""

import sys
from itertools import takewhile

from app.cli import main
from metahook.server import Limits


def set_limits(arguments: list[str]) -> list[str]:
    """Set the limits at the beginning of *arguments*; return what follows them."""
    given = list(takewhile(lambda argument: "=" in argument, arguments))
    for name, value in (limit.split("=") for limit in given):
        setattr(Limits, name, float(value))
    return arguments[len(given) :]


def run() -> None:
    """Run the command line."""
    sys.argv[1:] = set_limits(sys.argv[1:])
    main()


if __name__ == "__main__":
    run()
