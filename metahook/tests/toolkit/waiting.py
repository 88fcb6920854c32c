"""Waits for what other threads and processes do."""

import time
from collections.abc import Callable


def eventually(holds: Callable[[], bool], within: float = 30, pause: float = 0.01) -> bool:
    """Return True as soon as *holds* does, which is called every *pause* seconds; False after *within* seconds."""
    end = time.monotonic() + within
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
