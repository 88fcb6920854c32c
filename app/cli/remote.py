"""A hook that is served elsewhere, as the simulator calls it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx

from app.cli import hook_client
from metahook.server.clock import utc_now
from metahook.simulator.hook import Hook, Reply, Unreachable

_DATE = "%a, %d %b %Y %H:%M:%S GMT"


@contextmanager
def remote_hook(url: str) -> Iterator[Hook]:
    """Give the hook whose paths ``/sync`` and ``/customize`` are below *url*; raise InputError if it is no URL."""
    with hook_client.HookClient(url, "--hook") as client:

        def call(hook: str, body: bytes) -> Reply:
            try:
                response = client.post(hook, body)
            except TimeoutError as error:
                message = f"no answer from {client.shown()} within {hook_client.TIMEOUT:.0f} s"
                raise Unreachable(message) from error
            except httpx.HTTPError as error:
                message = f"nobody answers at {client.shown()}"
                raise Unreachable(message) from error
            return Reply(response.status_code, response.content, retry_after(response.headers.get("retry-after", "")))

        yield call


def retry_after(said: str) -> float | None:
    """Return how many seconds the header Retry-After *said*, be it a number or a date; None if it is neither."""
    if re.fullmatch("[+-]?[0-9]{1,18}", said):
        return float(said)
    try:
        date = datetime.strptime(said, _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
    return (date - utc_now()).total_seconds()
