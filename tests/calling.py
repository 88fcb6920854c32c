"""Calls an ASGI app as a client does, without a server: what the app raises becomes what its client would see."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping

import httpx
from starlette.types import ASGIApp

JSON = {"content-type": "application/json"}


def call(
    app: ASGIApp,
    path: str,
    content: bytes | Iterable[bytes] = b"",
    *,
    method: str = "POST",
    headers: Mapping[str, str] = JSON,
) -> httpx.Response:
    """Return the response of *app*; *content* that is no bytes is sent in chunks, without a length."""

    async def called() -> httpx.Response:
        async with _client(app) as client:
            sent = content if isinstance(content, bytes) else _chunks(content)
            return await client.request(method, path, content=sent, headers=headers)

    return asyncio.run(called())


def post_all(app: ASGIApp, path: str, bodies: Iterable[bytes]) -> list[httpx.Response]:
    """Return the responses of *app* to *bodies*, one after the other."""

    async def called() -> list[httpx.Response]:
        async with _client(app) as client:
            return [await client.post(path, content=body, headers=JSON) for body in bodies]

    return asyncio.run(called())


def _client(app: ASGIApp) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://hook")


async def _chunks(content: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in content:
        yield chunk
