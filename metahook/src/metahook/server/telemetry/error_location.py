"""Where in the code an error happened. The text of an exception is left out: it may hold the request."""

import traceback

from metahook.protocol.controller import MisusedException
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.observed import UndeclaredKind

INNERMOST, OUTERMOST = 10, 5
"""Frames of a long traceback that are shown: a recursion may have thousands."""


def error_location(error: BaseException) -> str:
    """Return the type of *error* and its traceback in one line; its text only if it can't hold the request."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in reversed(traceback.extract_tb(error.__traceback__))]
    if len(places) > INNERMOST + OUTERMOST:
        places[INNERMOST:-OUTERMOST] = ["..."]
    text = f" ({error})" if isinstance(error, RefusedResponse | UndeclaredKind | MisusedException) else ""
    return f"{type(error).__name__}{text} at {' < '.join(places)}"
