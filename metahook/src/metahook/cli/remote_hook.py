"""A hook at a URL, called as Metacontroller calls it: one deadline for the whole exchange, and the redirects of Go."""

import asyncio
import re
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import httpx

from metahook.cli.credentials import NO_CREDENTIALS, Credentials
from metahook.cli.errors import InputError
from metahook.server.clock import utc_now
from metahook.simulator.hook import Reply, Unreachable

TIMEOUT = 10.0
"""Seconds for the whole exchange, the default of Metacontroller."""

MAX_REDIRECTS = 10
"""The limit of Go's HTTP client, which Metacontroller uses."""

_DATE = "%a, %d %b %Y %H:%M:%S GMT"


class RemoteHook:
    """The hook whose paths ``/sync`` and ``/customize`` are below *url*, the value of *option*; for a with block.

    Raise InputError if *url* is not a URL, or the files of *credentials* can't be used.
    """

    def __init__(self, url: str, option: str, credentials: Credentials = NO_CREDENTIALS) -> None:
        self._url = _base(url, option)
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(
            timeout=None,  # noqa: S113 - _post has a deadline for the exchange; a timeout of httpx is one for each phase
            headers={"Content-Type": "application/json", **credentials.headers()},
            verify=credentials.context(),
            trust_env=False,
            follow_redirects=True,
            max_redirects=MAX_REDIRECTS,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply of *hook*, ``sync`` or ``customize``; raise Unreachable."""
        url = self._url.copy_with(path=f"{self._url.path.rstrip('/')}/{hook}")
        try:
            response = self._runner.run(self._post(url, body))
        except TimeoutError as error:
            message = f"no answer from {_without_secrets(url)} within {TIMEOUT:.0f} s"
            raise Unreachable(message) from error
        except httpx.HTTPError as error:
            hint = " (one over TLS may need --ca-cert, and --client-cert)" if url.scheme == "https" else ""
            message = f"no answer from {_without_secrets(url)}{hint}"
            raise Unreachable(message) from error
        return Reply(response.status_code, response.content, retry_after(response.headers.get("retry-after", "")))

    async def _post(self, url: httpx.URL, body: bytes) -> httpx.Response:
        async with asyncio.timeout(TIMEOUT):
            return await self._client.post(url, content=body)


def _base(url: str, option: str) -> httpx.URL:
    """Return *url* without the path of a hook."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        message = f"{option}: not the URL of a hook; write it as http://127.0.0.1:8080"
        raise InputError(message)
    path = parsed.path.rstrip("/")
    return parsed.copy_with(path=path.removesuffix("/sync").removesuffix("/customize") or "/")


def _without_secrets(url: httpx.URL) -> str:
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))


def retry_after(header: str) -> float | None:
    """Return the seconds in the *header* Retry-After, which is a number or a date; None if it is neither."""
    if re.fullmatch("[+-]?[0-9]{1,18}", header):
        return float(header)
    try:
        date = datetime.strptime(header, _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
    return (date - utc_now()).total_seconds()
