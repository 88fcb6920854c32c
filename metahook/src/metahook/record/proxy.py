"""The proxy: an ASGI app that forwards each request to a hook, and records it after the response was sent.

It runs on the server of hooks, with its limits of connections and heads, until SIGTERM or SIGINT.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from metahook.clock import Clock, utc_now
from metahook.record.recorder import Exchange, Recorder
from metahook.server import Certificates, ServerOptions, Telemetry
from metahook.server.callers import CannotLoad, cannot_read
from metahook.server.refusals import TOO_SLOW, Refused
from metahook.server.serve import server_config

TIMEOUT = 60.0
"""Seconds to wait for the hook: more than its callers do, whose time-out is to be the one that counts."""

RECORDED = {200, 500}
"""A response with another status is about the caller, or the load of the hook, and not a decision."""

BODY_TIMEOUT = 10.0
"""Seconds for a body to arrive: as long as its caller waits for the response."""

_HOP_BY_HOP = {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
"""Headers about one connection. Source: RFC 9110, 7.6.1."""

_OF_THE_CALLER = {b"accept-encoding", b"expect", b"host"}
"""Headers that the proxy answers for: a compressed response could not be recorded."""

Headers = list[tuple[bytes, bytes]]

log = logging.getLogger(__name__)


@dataclass
class Copy:
    """The copy of a request, made while it passes, in a ``with`` block that gives its memory back.

    It is dropped when the recorder has no memory for more.
    """

    recorder: Recorder
    at: datetime | None = None
    """When the hook had all of the request; None until then."""
    _chunks: list[bytes] = field(default_factory=list)
    _reserved: int = 0
    _is_dropped: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._drop()

    @property
    def body(self) -> bytes:
        return b"".join(self._chunks)

    def add(self, chunk: bytes) -> None:
        if self.reserve(len(chunk)):
            self._chunks.append(chunk)

    def reserve(self, size: int) -> bool:
        """Reserve memory as long as the copy lasts; tell whether there is enough."""
        if self._is_dropped or not self.recorder.reserve(size):
            self._drop()
            return False
        self._reserved += size
        return True

    def _drop(self) -> None:
        self.recorder.release(self._reserved)
        self._chunks, self._reserved, self._is_dropped = [], 0, True


class Proxy:
    """Forwards requests to *hook*, by *client*, and has *recorder* write the calls: each POST that the hook decides."""

    def __init__(self, hook: httpx.URL, client: httpx.AsyncClient, recorder: Recorder, clock: Clock = utc_now) -> None:
        self._hook = hook
        self._client = client
        self._recorder = recorder
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope* as the hook does, or with 502 if it does not respond."""
        request = Request(scope, receive)
        with Copy(self._recorder) as copy:
            try:
                response = await self._forward(request, copy)
            except ClientDisconnect:
                return
            except Refused as refused:
                response = refused.refusal.response("")
            except (httpx.HTTPError, ValueError) as error:
                log.warning("the hook did not respond: %s", type(error).__name__)
                response = Response(b'{"error":"the hook did not respond"}', 502, media_type="application/json")
            await response(scope, receive, send)
            is_call = request.method == "POST" and response.status_code in RECORDED
            content = bytes(response.body)
            if is_call and copy.at and copy.reserve(len(content)):
                path: str = scope["path"]
                await self._recorder.write(Exchange(path, copy.at, response.status_code, copy.body, content))

    async def _forward(self, request: Request, copy: Copy) -> Response:
        """Return the response of the hook to *request*, which is copied.

        Raise as httpx does, ClientDisconnect, and Refused for a body that is too slow.
        """
        headers = _without(_HOP_BY_HOP | _OF_THE_CALLER, request.headers.raw)
        has_body = {"content-length", "transfer-encoding"} & set(request.headers)
        content = self._body(request, copy) if has_body else None
        # As a target, because in a URL httpx changes paths such as /x/../sync.
        target = {"target": self._target(request.scope)}
        forwarded = httpx.Request(request.method, self._hook, headers=headers, content=content, extensions=target)
        answer = await self._client.send(forwarded, stream=True)
        try:
            body = b"".join([chunk async for chunk in answer.aiter_raw()])
        finally:
            await answer.aclose()
        response = Response(body, answer.status_code)
        response.raw_headers = _without(_HOP_BY_HOP, answer.headers.raw)
        return response

    async def _body(self, request: Request, copy: Copy) -> AsyncIterator[bytes]:
        deadline = asyncio.get_running_loop().time() + BODY_TIMEOUT
        chunks = aiter(request.stream())
        while (chunk := await _next_within(deadline, chunks)) is not None:
            copy.add(chunk)
            yield chunk
        copy.at = self._clock()

    def _target(self, scope: Scope) -> bytes:
        path: bytes = self._hook.raw_path.rstrip(b"/") + scope["raw_path"]
        query: bytes = scope["query_string"]
        return path + (b"?" + query if query else b"")


async def _next_within(deadline: float, chunks: AsyncIterator[bytes]) -> bytes | None:
    """Return the next of *chunks*, or None at their end; raise Refused if it does not arrive until *deadline*."""
    try:
        async with asyncio.timeout_at(deadline):
            return await anext(chunks, None)
    except TimeoutError:
        raise Refused(TOO_SLOW) from None


def _without(names: set[bytes], headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    return [(name, value) for name, value in headers if name.lower() not in names]


STOP_TIMEOUT = 15
"""Seconds for calls in progress when it stops. Metacontroller waits 10 for each."""


@dataclass(frozen=True)
class RecordedHook:
    """The hook behind the proxy. One over TLS has a certificate of *ca*, by default of the CAs of the system.

    Raise CannotLoad.
    """

    url: httpx.URL
    ca: Path | None = None

    def client(self) -> httpx.AsyncClient:
        """Return a client for the hook, which never uses a connection again: the hook may be about to close it."""
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        return httpx.AsyncClient(verify=self._context(), timeout=TIMEOUT, limits=limits, trust_env=False)

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca is None:
            context.load_default_certs()
            return context
        try:
            context.load_verify_locations(self.ca)
        except ssl.SSLError as error:
            message = f"can't use the certificates in {self.ca}: give certificates in PEM format"
            raise CannotLoad(self.ca, message) from error
        except OSError as error:
            raise cannot_read(self.ca, error) from error
        # The file may also have the certificate of the hook itself.
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
        # In a Pod the hook has a certificate for its Service, and not for this name.
        context.check_hostname = not _is_loopback(self.url.host)
        return context


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve(listener: socket.socket, certificates: Certificates | None, hook: RecordedHook, recorder: Recorder) -> None:
    """Forward what arrives at *listener*, over TLS if there are *certificates*, and record it."""
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs the URL of each request
    recorder.announce()
    options = ServerOptions(stop_timeout=STOP_TIMEOUT, certificates=certificates)
    asyncio.run(_serve(listener, options, hook, recorder))


async def _serve(listener: socket.socket, options: ServerOptions, hook: RecordedHook, recorder: Recorder) -> None:
    async with hook.client() as client:
        proxy = Proxy(hook.url, client, recorder)
        config = server_config(proxy, options, Telemetry(), lifespan="off", date_header=False)  # the hook's passes
        await uvicorn.Server(config).serve([listener])
