"""Replicas of the hook are replaced one by one under load, and no request is lost.

The balancer keeps established connections when a replica is removed, as a Service does; it removes one a while after
its SIGTERM.
"""

import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException

import pytest

from toolkit.balancer import Balancer
from toolkit.served.asgi import JSON
from toolkit.served.process import WIDGETS, Served, served
from toolkit.slow import short_or_whole
from toolkit.widgets import ready_request

pytestmark = pytest.mark.attacks

ROLLS = short_or_whole(8, 50)
"""Replacements."""
CALLERS = 5
REMOVED_AFTER = 0.3
"""Seconds from SIGTERM until a replica gets no more connections."""
PAUSE = 0.02
"""Seconds between two requests of a caller, at most."""
BODY = ready_request()


class Callers:
    """Callers that each keep a connection while it may be used, as Metacontroller's workers do."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._is_over = threading.Event()
        self.endings: Counter[str] = Counter()
        self._threads = ThreadPoolExecutor(CALLERS)
        self._running = [self._threads.submit(self._call) for _ in range(CALLERS)]

    def _call(self) -> None:
        connection = HTTPConnection(self._address, timeout=10)
        while not self._is_over.is_set():
            try:
                connection.request("POST", "/sync", BODY, JSON)
                response = connection.getresponse()
                response.read()
                self.endings[str(response.status)] += 1
            except (OSError, HTTPException) as error:
                self.endings[repr(error)] += 1
                connection.close()
            time.sleep(random.uniform(0, PAUSE))  # noqa: S311 - no secret
        connection.close()

    def stop(self) -> Counter[str]:
        """Return how often requests ended with each status or error."""
        self._is_over.set()
        for each in self._running:
            each.result()
        self._threads.shutdown()
        return self.endings


def rolled() -> tuple[Counter[str], set[int]]:
    """Stop and replace two replicas in turn; return how requests ended, and the exit codes."""
    exits = set[int]()
    with ExitStack() as stack:
        balancer = stack.enter_context(Balancer())

        def start() -> Served:
            hook = stack.enter_context(served(*WIDGETS, "--drain=1"))
            balancer.add(hook.url)
            return hook

        replicas = [start(), start()]
        callers = Callers(balancer.address)
        for _ in range(ROLLS):
            replicas.append(start())
            old = replicas.pop(0)
            old.process.send_signal(signal.SIGTERM)
            time.sleep(REMOVED_AFTER)
            balancer.remove(old.url)
            exits.add(old.process.wait(30))
        return callers.stop(), exits


def test_no_request_is_lost_while_replicas_are_replaced() -> None:
    endings, exits = rolled()

    assert endings.keys() == {"200"}
    assert endings["200"] > 100 * ROLLS
    assert exits == {0}
