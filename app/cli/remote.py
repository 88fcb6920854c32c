"""A hook that is served elsewhere, as the simulator calls it."""

import httpx

from app.simulator.hook import Hook, Reply, Unreachable

TIMEOUT = 10.0
"""Seconds, as Metacontroller's own default."""


def remote_hook(url: str) -> Hook:
    """Return the hook whose paths ``/sync`` and ``/customize`` are below *url*."""
    client = httpx.Client(timeout=TIMEOUT, headers={"Content-Type": "application/json"}, trust_env=False)

    def call(hook: str, body: bytes) -> Reply:
        try:
            response = client.post(f"{url.rstrip('/')}/{hook}", content=body)
        except httpx.HTTPError as error:
            message = f"nobody answers at {url}"
            raise Unreachable(message) from error
        after = response.headers.get("retry-after", "")
        return Reply(response.status_code, response.content, float(after) if after.isdigit() else None)

    return call
