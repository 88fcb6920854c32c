"""Calls an ASGI app as a server does for a client: what the app raises becomes what its client would see."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping

import httpx
from starlette.types import ASGIApp, Message

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
    return asyncio.run(_called(app, httpx.Request(method, f"http://hook{path}", content=content, headers=headers)))


def post_all(app: ASGIApp, path: str, bodies: Iterable[bytes]) -> list[httpx.Response]:
    """Return the responses of *app* to *bodies*, one after the other."""

    async def called() -> list[httpx.Response]:
        requests = (httpx.Request("POST", f"http://hook{path}", content=body, headers=JSON) for body in bodies)
        return [await _called(app, request) for request in requests]

    return asyncio.run(called())


async def _called(app: ASGIApp, request: httpx.Request) -> httpx.Response:
    """Return the response of *app* to *request*. A client of httpx takes longer than the app."""
    chunks, sent, done = _chunks(request), list[Message](), asyncio.Event()

    async def receive() -> Message:
        if (message := next(chunks, None)) is None:
            await done.wait()
            return {"type": "http.disconnect"}
        return message

    async def send(message: Message) -> None:
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            done.set()

    try:
        await app(_scope(request), receive, send)
    except Exception:  # noqa: BLE001 - a server does so, too
        return httpx.Response(500, request=request)
    start, *parts = sent
    content = b"".join(part.get("body", b"") for part in parts)
    return httpx.Response(start["status"], headers=start["headers"], content=content, request=request)


def _chunks(request: httpx.Request) -> Iterator[Message]:
    """Yield what a server sends to an app: the chunks of the body, and its end."""
    for chunk in request.stream:  # type: ignore[union-attr] # content is no asynchronous stream
        yield {"type": "http.request", "body": chunk, "more_body": True}
    yield {"type": "http.request", "body": b"", "more_body": False}


def _scope(request: httpx.Request) -> dict[str, object]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.url.path,
        "raw_path": request.url.raw_path.partition(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 123),
        "server": ("hook", 80),
    }
