"""Calls a hook that is served elsewhere as Metacontroller does: one deadline for the exchange, and Go's redirects."""

import asyncio
from types import TracebackType
from typing import Self

import httpx

from app.cli.errors import InputError

TIMEOUT = 10.0
"""Seconds for the whole exchange, as Metacontroller's own default."""

REDIRECTS = 10
"""As many as Go follows."""


class HookClient:
    """The hook at *url*, which *option* gave; use it in a with block. Raise InputError if that is no URL."""

    def __init__(self, url: str, option: str) -> None:
        self._url = _base(url, option)
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(
            timeout=None,  # noqa: S113 - the whole exchange has a deadline; httpx counts each phase anew
            headers={"Content-Type": "application/json"},
            trust_env=False,
            follow_redirects=True,
            max_redirects=REDIRECTS,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()

    def post(self, hook: str, body: bytes) -> httpx.Response:
        """Return the response of *hook*, ``sync`` or ``customize``; raise TimeoutError or httpx.HTTPError."""
        return self._runner.run(self._post(self._path(hook), body))

    def shown(self, hook: str = "") -> str:
        """Return the URL of *hook* without what may be secret in it."""
        return str(self._path(hook).copy_with(username=None, password=None, query=None, fragment=None)).rstrip("/")

    async def _post(self, url: httpx.URL, body: bytes) -> httpx.Response:
        async with asyncio.timeout(TIMEOUT):
            return await self._client.post(url, content=body)

    def _path(self, hook: str) -> httpx.URL:
        return self._url.copy_with(path=f"{self._url.path.rstrip('/')}/{hook}")


def _base(url: str, option: str) -> httpx.URL:
    """Return *url* without the hook's path."""
    try:
        found = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        found = httpx.URL("")
    if found.scheme not in ("http", "https") or not found.host:
        message = f"{option}: not a URL of a hook; write it as http://127.0.0.1:8080"
        raise InputError(message)
    path = found.path.rstrip("/")
    return found.copy_with(path=path.removesuffix("/sync").removesuffix("/customize") or "/")
