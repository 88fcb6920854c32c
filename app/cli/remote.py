"""A hook that is served elsewhere, as the simulator calls it."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from app.cli.elsewhere import hook_url
from app.simulator.hook import Hook, Reply, Unreachable

TIMEOUT = 10.0
"""Seconds, as Metacontroller's own default."""


@contextmanager
def remote_hook(url: str) -> Iterator[Hook]:
    """Give the hook whose paths ``/sync`` and ``/customize`` are below *url*; raise InputError if it is no URL."""
    base = str(hook_url(url, "--hook")).rstrip("/")
    with httpx.Client(timeout=TIMEOUT, headers={"Content-Type": "application/json"}, trust_env=False) as client:

        def call(hook: str, body: bytes) -> Reply:
            try:
                response = client.post(f"{base}/{hook}", content=body)
            except httpx.HTTPError as error:
                message = f"nobody answers at {base}"
                raise Unreachable(message) from error
            after = response.headers.get("retry-after", "")
            return Reply(response.status_code, response.content, float(after) if after.isdigit() else None)

        yield call
