"""The load over real sockets, to a real server of this process."""

import http.server
import threading
from collections import Counter
from collections.abc import Iterator

import pytest

from bench.comparison.bodies import body
from bench.comparison.load import Client, NotAnswered
from bench.comparison.requests import Request
from metahook.envtest.free_port import free_port

BODY = body("6 KB", 1)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers 200 to the first requests, then 500; over HTTP/1.0 or HTTP/1.1."""

    answers: int
    received: list[bytes]
    callers: Counter[int]

    def do_POST(self) -> None:
        """Answer."""
        content = self.rfile.read(int(self.headers["content-length"]))
        self.received.append(content)
        self.callers[self.client_address[1]] += 1
        self.send_response(200 if len(self.received) <= self.answers else 500)
        self.send_header("content-length", "4")
        self.end_headers()
        self.wfile.write(b"done")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A server that does not print that a client closed its connection."""

    def handle_error(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(name="handler", params=["HTTP/1.0", "HTTP/1.1"])
def _handler(request: pytest.FixtureRequest) -> Iterator[tuple[type[Handler], int]]:
    class Mine(Handler):
        protocol_version = request.param
        answers, received, callers = 1000, list[bytes](), Counter[int]()

    port = free_port()
    with Server(("127.0.0.1", port), Mine) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield Mine, port
        server.shutdown()


def test_every_request_is_answered_and_counted(handler: tuple[type[Handler], int]) -> None:
    mine, port = handler
    request, client = Request(BODY), Client(port, 3)

    took = client.send(lambda: request.unchanged, lambda sent: sent >= 20)
    client.close()

    assert len(took) == len(mine.received) == 20
    assert len(mine.callers) == (20 if mine.protocol_version == "HTTP/1.0" else 3)


def test_a_large_request_arrives_as_it_was_sent(handler: tuple[type[Handler], int]) -> None:
    mine, port = handler
    request, client = Request(BODY.replace(b"nginx:slow", b"x" * 8_000_000)), Client(port, 2)

    client.send(lambda: request.unchanged, lambda sent: sent >= 2)
    client.close()

    assert mine.received == [bytes(request.unchanged).partition(b"\r\n\r\n")[2]] * 2


def test_a_refused_request_ends_the_measurement(handler: tuple[type[Handler], int]) -> None:
    mine, port = handler
    mine.answers = 5
    request, client = Request(BODY), Client(port, 2)

    with pytest.raises(NotAnswered, match="500"):
        client.send(lambda: request.unchanged, lambda sent: sent >= 20)
    client.close()


def test_a_server_that_is_not_there_is_an_error() -> None:
    client = Client(free_port(), 1)

    with pytest.raises(ConnectionError):
        client.response(Request(BODY).unchanged)
    client.close()
