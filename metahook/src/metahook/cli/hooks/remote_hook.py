"""A hook at a URL, called as Metacontroller calls it: one deadline for the whole exchange, and the redirects of Go."""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import httpx

from metahook.cli.errors import InputError
from metahook.cli.hooks.credentials import Credentials
from metahook.clock import utc_now
from metahook.protocol.bodies import MIB
from metahook.simulator.hook import Reply, Unreachable

TIMEOUT = 10.0
"""Seconds for the whole exchange, the default of Metacontroller."""

MAX_RESPONSE = 16 * MIB
"""Bytes of a response; more would fit no API server."""

MAX_REDIRECTS = 10
"""The limit of Go's HTTP client, which Metacontroller uses."""

_DATE = "%a, %d %b %Y %H:%M:%S GMT"


class RemoteHook:
    """The hook at *url*, the value of *option*; for a with block.

    *paths* are those of its hooks below *url*.
    Raise InputError if *url* is not a URL, or the files of *credentials* can't be used.
    """

    def __init__(
        self,
        url: str,
        option: str,
        credentials: Credentials,
        paths: Mapping[str, str],
    ) -> None:
        self._url = _base(url, option, paths)
        self._paths = paths
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
        """Return the reply of *hook*, such as ``sync``; raise Unreachable."""
        url = self._url.copy_with(path=f"{self._url.path.rstrip('/')}{self._paths[hook]}")
        try:
            return self._runner.run(self._post(url, body))
        except TimeoutError as error:
            message = f"no answer from {_without_secrets(url)} within {TIMEOUT:.0f} s"
            raise Unreachable(message) from error
        except httpx.HTTPError as error:
            hint = " (one over TLS may need --ca-cert, and --client-cert)" if url.scheme == "https" else ""
            message = f"no answer from {_without_secrets(url)}{hint}"
            raise Unreachable(message) from error

    async def _post(self, url: httpx.URL, body: bytes) -> Reply:
        async with asyncio.timeout(TIMEOUT), self._client.stream("POST", url, content=body) as response:
            content = bytearray()
            async for part in response.aiter_bytes():
                content += part
                if len(content) > MAX_RESPONSE:
                    message = f"more than {MAX_RESPONSE // MIB} MiB in the answer from {_without_secrets(url)}"
                    raise Unreachable(message)
            wait = retry_after(response.headers.get("retry-after", ""))
            return Reply(response.status_code, bytes(content), wait)


def _base(url: str, option: str, paths: Mapping[str, str]) -> httpx.URL:
    """Return *url* without the one of *paths* that it ends in."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        message = f"{option}: not the URL of a hook; write it as http://127.0.0.1:8080"
        raise InputError(message)
    path = parsed.path.rstrip("/")
    end = next((end for end in paths.values() if path.endswith(end)), "")
    return parsed.copy_with(path=path.removesuffix(end) or "/")


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
