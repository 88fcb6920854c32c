"""A hook that is served elsewhere is called as Metacontroller calls it: one deadline, Go's redirects, Retry-After."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from app.cli import hook_client
from app.cli.elsewhere import Elsewhere
from app.cli.errors import InputError
from app.cli.files.recordings import Recording
from app.cli.remote import remote_hook, retry_after
from metahook.server.clock import utc_now
from metahook.simulator.hook import Reply, Unreachable


@contextmanager
def answering(answer: Callable[[socket.socket, bytes], None]) -> Iterator[str]:
    """Serve *answer*, one connection after the other, and give the URL."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    try:
                        answer(connection, _received(connection))
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def _received(connection: socket.socket) -> bytes:
    """Return the request, which may come in two parts."""
    request = connection.recv(65536)
    whole = request.startswith(b"GET") or not request.endswith(b"\r\n\r\n")
    return request if whole else request + connection.recv(65536)


def said(status: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close", "Content-Length: 2", *headers, "", "{}"]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "], ids=["body", "header"])
def test_an_answer_that_trickles_in_is_not_waited_for(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_client, "TIMEOUT", 0.3)

    def trickle(connection: socket.socket, _: bytes) -> None:
        connection.sendall(start)
        for _part in range(50):
            connection.sendall(b"x")
            time.sleep(0.05)

    with answering(trickle) as url, remote_hook(url) as hook:
        begun = time.monotonic()
        with pytest.raises(Unreachable, match="no answer"):
            hook("sync", b"{}")
        assert time.monotonic() - begun < 2


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "], ids=["body", "header"])
def test_replay_does_not_wait_for_an_answer_that_trickles_in(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_client, "TIMEOUT", 0.3)
    enough = threading.Event()
    asked = Recording("a.json", "sync", {})

    def trickle(connection: socket.socket, _: bytes) -> None:
        connection.sendall(start)
        for _part in range(50):
            if enough.wait(0.05):
                return
            connection.sendall(b"x")

    with answering(trickle) as url, Elsewhere(url) as other:
        with pytest.raises(InputError, match="no answer within"):
            other.answer(asked)
        enough.set()


@pytest.mark.parametrize(("status", "method"), [("307 T", b"POST"), ("308 P", b"POST"), ("302 F", b"GET")])
def test_redirects_are_followed_as_go_does(status: str, method: bytes) -> None:
    seen: list[bytes] = []

    def redirect(connection: socket.socket, request: bytes) -> None:
        seen.append(request)
        connection.sendall(said(status, "Location: /there") if b" /sync " in request else said("200 OK"))

    with answering(redirect) as url, remote_hook(url) as hook:
        assert hook("sync", b'{"a": 1}') == Reply(200, b"{}")

    assert seen[1].startswith(method + b" /there")
    assert seen[1].endswith(b'{"a": 1}') == (method == b"POST")


def test_redirects_without_end_are_no_answer() -> None:
    def redirect(connection: socket.socket, _: bytes) -> None:
        connection.sendall(said("307 T", "Location: /sync"))

    with answering(redirect) as url, remote_hook(url) as hook, pytest.raises(Unreachable, match="nobody answers"):
        hook("sync", b"{}")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("-7", -7), ("", None), ("1.5", None), ("\u00b2", None), ("9" * 400, None), ("tomorrow", None)],
)
def test_retry_after_is_a_whole_number_or_nothing(header: str, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_retry_after_may_be_a_date() -> None:
    date = (utc_now() + timedelta(seconds=100)).strftime("%a, %d %b %Y %H:%M:%S GMT")

    assert 95 < (retry_after(date) or 0) <= 100
