"""A hook that is served elsewhere, as the simulator calls it."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx

from app.cli.elsewhere import hook_url
from metahook.server.clock import utc_now
from metahook.simulator.hook import Hook, Reply, Unreachable

TIMEOUT = 10.0
"""Seconds for the whole exchange, as Metacontroller's own default."""

REDIRECTS = 10
"""As many as Go follows."""

_DATE = "%a, %d %b %Y %H:%M:%S GMT"


@contextmanager
def remote_hook(url: str) -> Iterator[Hook]:
    """Give the hook whose paths ``/sync`` and ``/customize`` are below *url*; raise InputError if it is no URL."""
    base = str(hook_url(url, "--hook")).rstrip("/")
    with asyncio.Runner() as runner:
        client = _client()

        def call(hook: str, body: bytes) -> Reply:
            try:
                response = runner.run(_posted(client, f"{base}/{hook}", body))
            except TimeoutError as error:
                message = f"no answer from {base} within {TIMEOUT:.0f} s"
                raise Unreachable(message) from error
            except httpx.HTTPError as error:
                message = f"nobody answers at {base}"
                raise Unreachable(message) from error
            return Reply(response.status_code, response.content, retry_after(response.headers.get("retry-after", "")))

        try:
            yield call
        finally:
            runner.run(client.aclose())


def _client() -> httpx.AsyncClient:
    return httpx.AsyncClient(
        timeout=None,  # noqa: S113 - the whole exchange has a deadline
        headers={"Content-Type": "application/json"},
        trust_env=False,
        follow_redirects=True,
        max_redirects=REDIRECTS,
    )


async def _posted(client: httpx.AsyncClient, url: str, body: bytes) -> httpx.Response:
    async with asyncio.timeout(TIMEOUT):
        return await client.post(url, content=body)


def retry_after(said: str) -> float | None:
    """Return how many seconds the header Retry-After *said*, be it a number or a date; None if it is neither."""
    if re.fullmatch("[+-]?[0-9]{1,18}", said):
        return float(said)
    try:
        date = datetime.strptime(said, _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
    return (date - utc_now()).total_seconds()
