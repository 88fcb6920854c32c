"""What is a request: its protocol, its host, its headers. What follows on its body is none of them."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from metahook.server.limits import DEFAULT_LIMITS
from toolkit.hooks.minimal import sync_body
from toolkit.served.modes import MODES, TOKEN, Answer, Mode, create_mode, read_answer

HEAD, END = b"POST /sync HTTP/1.1\r\n", b"\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"
LONG = b"/" + b"x" * DEFAULT_LIMITS.max_url
CODED = HEAD + b"Host: hook\r\nContent-Type: application/json\r\nTransfer-Encoding: %s\r\n\r\n0\r\n\r\n"
CODING = b"send the header Transfer-Encoding with the word chunked alone, or Content-Length"
NOT_HTTP, NOT_ONE_HOST = b"the request is not HTTP/1.1", b"send the header Host once"

REFUSED = {
    "RTSP/1.0": (b"POST /sync RTSP/1.0\r\nHost: hook" + END, 400, NOT_HTTP),
    "RTSP/1.1": (b"POST /sync RTSP/1.1\r\nHost: hook" + END, 400, NOT_HTTP),
    "RTSP after line breaks": (b"\r\n\nPOST /sync RTSP/1.1\r\nHost: hook" + END, 400, NOT_HTTP),
    "RTSP with HTTP in a header": (b"POST /sync RTSP/1.1\r\nHost: hook\r\nX: POST /sync HTTP/1.1" + END, 400, NOT_HTTP),
    "ICE/1.0": (b"SOURCE /sync ICE/1.0\r\nHost: hook" + END, 400, NOT_HTTP),
    "no host": (HEAD + b"X: hook" + END, 400, NOT_ONE_HOST),
    "two hosts": (HEAD + b"Host: hook\r\nhOST: hook" + END, 400, NOT_ONE_HOST),
    "two hosts of HTTP/1.0": (b"POST /sync HTTP/1.0\r\nHost: hook\r\nHost: hook" + END, 400, NOT_ONE_HOST),
    "two spaces before the URL": (b"POST  /sync HTTP/1.1\r\nHost: hook" + END, 400, NOT_HTTP),
    "two spaces after the URL": (b"POST /sync  HTTP/1.1\r\nHost: hook" + END, 400, NOT_HTTP),
    "two codings": (CODED % b"gzip, chunked", 400, CODING),
    "two codings in two headers": (CODED % b"gzip\r\nTransfer-Encoding: chunked", 400, CODING),
    "a HEAD with a long URL": (b"HEAD " + LONG + b" HTTP/1.1\r\nHost: hook" + END, 414, b""),
    "a HEAD with many headers": (b"HEAD /sync HTTP/1.1\r\n" + b"X: x\r\n" * 65 + END, 431, b""),
    "a GET with a long URL": (b"GET " + LONG + b" HTTP/1.1\r\nHost: hook" + END, 414, b"the URL is too long"),
}


def received(connection: socket.socket) -> bytes:
    """Return what the server sends until it closes *connection*."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.fixture(name="connect", scope="module")
def _connect() -> Iterator[Callable[[], socket.socket]]:
    with Mode().serving() as (connect, _):
        yield connect


@pytest.mark.parametrize("pieces", [1, 2], ids=["whole", "in pieces"])
@pytest.mark.parametrize(("sent", "status", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_request_is_refused_and_the_connection_closed(
    connect: Callable[[], socket.socket], sent: bytes, status: int, message: bytes, pieces: int
) -> None:
    with connect() as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for begin in range(0, len(sent), len(sent) // pieces + 1):
            client.sendall(sent[begin : begin + len(sent) // pieces + 1])
        head, _, body = received(client).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"connection: close" in head
    assert body == (b'{"error": "%s"}' % message if message else b"")


def test_a_request_of_http_1_0_needs_no_host(connect: Callable[[], socket.socket]) -> None:
    with connect() as client:
        client.sendall(Mode().request().replace(b"HTTP/1.1\r\nHost: hook", b"HTTP/1.0"))

        assert read_answer(client).status == 200


def chunked(mode: Mode, body: bytes, trailer: bytes) -> tuple[bytes, bytes]:
    """Return a request with *body* in a chunk, and its end, which has a *trailer*."""
    head = mode.request(b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    return head + b"%x\r\n%s\r\n" % (len(body), body), b"0\r\n%s\r\n\r\n" % trailer


def in_segments(client: socket.socket, parts: tuple[bytes, ...], *, are_split: bool) -> Answer:
    """Send *parts* on *client*, each in a segment of its own or all in one; return the response."""
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for segment in parts if are_split else (b"".join(parts),):
        client.sendall(segment)
        time.sleep(0.05)
    return read_answer(client)


@pytest.mark.parametrize("are_split", [False, True], ids=["in one segment", "in two"])
def test_a_trailer_is_no_header(*, are_split: bool) -> None:
    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        await JSONResponse([name.decode() for name, _ in scope["headers"]])(scope, receive, send)

    mode = Mode()
    request = chunked(mode, b"x", b"X-Trailer: a")
    with mode.serving(app=respond) as (connect, _), connect() as client:
        answer = in_segments(client, request, are_split=are_split)

    assert json.loads(answer.body) == ["host", "content-type", "transfer-encoding", "accept"]


@pytest.mark.parametrize("name", MODES)
def test_a_trailer_changes_no_answer(tmp_path: Path, name: str) -> None:
    mode = create_mode(name, tmp_path)
    without, token = replace(mode, header="X: x"), f"Authorization: Bearer {TOKEN}".encode()
    requests = (chunked(mode, sync_body(), b"Content-Encoding: gzip"), chunked(without, sync_body(), token))
    with mode.serving() as (connect, _), ExitStack() as stack:
        answers = [
            in_segments(stack.enter_context(mode.handshake(connect())), request, are_split=are_split).status
            for request in requests
            for are_split in (False, True)
        ]

    assert answers == [200, 200, *([401, 401] if mode.tokens else [200, 200])]
