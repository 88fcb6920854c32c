"""The comparison: what it prints of made-up samples, and that it measures nothing but answers of a hook."""

import http.server
import threading
from typing import ClassVar

import pytest
from fastapi import FastAPI

from bench.comparison.__main__ import JUDGED, MOST, Rounds, Sample, ratio, table, verdict
from bench.comparison.bodies import BODIES, body
from bench.comparison.servers import FASTAPI, HOOK, PLAIN_ROUTE
from bench.peers import fastapi_models, plain_route
from tests.service.attacks.senders import request, send
from toolkit.served.asgi import call

STATES = {"2 KB": "Building", "6 KB": "Ready", "200 KB": "Ready"}


def rounds(*hook: float) -> Rounds:
    """Return rounds in which the hook took so many microseconds, and the others 100."""
    others = {PLAIN_ROUTE: Sample(100, 1), FASTAPI: Sample(100, 1)}
    return [{HOOK: Sample(cpu, cpu / 100), **others} for cpu in hook]


@pytest.mark.parametrize("size", BODIES)
@pytest.mark.parametrize("app", [plain_route.app, fastapi_models.app], ids=["plain route", "FastAPI"])
def test_each_peer_answers_with_the_deployment_and_its_state(app: FastAPI, size: str) -> None:
    answer = call(app, "/sync", body(size, 1)).json()

    assert answer["status"]["state"] == STATES[size]
    assert answer["children"][0]["metadata"]["name"] == "web0001-deployment"


def test_a_row_has_the_cpu_and_the_range_of_its_ratios() -> None:
    assert list(table({JUDGED: rounds(100, 150, 170)}))[2] == (
        "| 6 KB changed | 150 us | 1.50 (1.00-1.70) | 1.50 (1.00-1.70) | 1.50 ms | 1.00 ms | 1.00 ms |"
    )


@pytest.mark.parametrize(("cpu", "words"), [(160, "1.60 x the CPU of FastAPI, within 1.6 x"), (161, "NOT within")])
def test_the_bound_is_met_up_to_its_ratio_and_not_beyond(cpu: float, words: str) -> None:
    assert words in verdict(rounds(100, cpu, 200))
    assert (ratio(rounds(100, cpu, 200), FASTAPI) <= MOST) == ("NOT" not in words)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers 200 to the first nine requests, then 500."""

    protocol_version = "HTTP/1.1"
    received: ClassVar[list[tuple[int, bytes]]] = []

    def do_POST(self) -> None:
        """Answer."""
        self.received.append((self.client_address[1], self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200 if len(self.received) < 10 else 500)
        self.send_header("content-length", "4")
        self.end_headers()
        self.wfile.write(b"done")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class Server(http.server.ThreadingHTTPServer):
    """A server that does not print that a client closed its connection."""

    def handle_error(self, *_: object) -> None:
        """Print nothing."""


def test_requests_are_sent_over_so_many_connections_until_enough_are_answered() -> None:
    sent = request(b"x" * 1_000_000)
    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        results = send(server.server_port, lambda: sent, senders=3, times=15)
        server.shutdown()

    assert results.codes["200"] == 9
    assert 15 <= results.codes.total() <= 17
    assert len({caller for caller, _ in Handler.received}) == 3
    assert {len(body) for _, body in Handler.received} == {1_000_000}
