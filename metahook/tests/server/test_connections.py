"""Connections: deadlines for heads, what is no HTTP, what follows on a body, and how many there may be.

The recorded answers have the responses to odd requests; here is what a single answer does not show.
"""

import json
import re
import signal
import socket
import struct
import threading
import time
from contextlib import ExitStack

import pytest

from metahook import SyncRequest, SyncResponse
from metahook.server import Limits, ServerOptions, create_app
from toolkit.hooks.minimal import controller, sync_body
from toolkit.served.process import CLIENT, WIDGETS, served
from toolkit.served.thread import PATIENCE, At, asked, raw, read, sent, serving, serving_app
from toolkit.waiting import eventually

REQUEST = raw()
HALF = REQUEST[:30]
METACONTROLLERS_IDLE_SECONDS = 90


def is_closed(connection: socket.socket) -> bool:
    """Tell whether the server closes *connection* without a response; raise TimeoutError if it does neither."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_a_head_has_its_time_and_many_slow_ones_keep_nobody_out() -> None:
    with served(*WIDGETS, "--head-timeout=1") as running, ExitStack() as stack:
        at = ("127.0.0.1", running.port)
        slow = [stack.enter_context(sent(at, HALF)) for _ in range(300)]
        on_health = stack.enter_context(sent(("127.0.0.1", int(running.health_url.rpartition(":")[2])), HALF))
        begin = time.monotonic()
        assert asked(at, REQUEST).status == 400  # it is for Tiny, not for a Widget
        assert CLIENT.get(f"{running.health_url}/livez").text == "ok\n"
        answers = [read(each) for each in (*slow, on_health)]
        assert time.monotonic() - begin < PATIENCE
        metrics = CLIENT.get(f"{running.health_url}/metrics").text

    assert {(answer.status, answer.is_last) for answer in answers} == {(408, True)}
    assert 'metahook_refusals_total{code="408",hook="other",limit="head_timeout"} 300.0' in metrics


def test_each_head_on_a_connection_has_its_own_time_and_an_idle_one_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "head_timeout", 0.5)
    with serving() as at, sent(at, REQUEST) as connection:
        assert read(connection).status == 200
        time.sleep(0.8)
        for part in (REQUEST[:20], REQUEST[20:]):
            connection.sendall(part)
            time.sleep(0.1)
        assert read(connection).status == 200
        connection.sendall(HALF)
        assert (read(connection).status, is_closed(connection)) == (408, True)


def test_connections_are_kept_for_longer_than_metacontroller_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Limits.keep_alive > METACONTROLLERS_IDLE_SECONDS

    monkeypatch.setattr(Limits, "keep_alive", 1)
    with serving() as at, sent(at, b"") as silent, sent(at, REQUEST) as idle, sent(at, REQUEST) as blank:
        assert [read(each).status for each in (idle, blank)] == [200, 200]
        blank.sendall(b"\r\n")
        assert [is_closed(each) for each in (silent, idle, blank)] == [True, True, True]


def test_what_is_no_http_is_refused_as_the_app_does_and_the_log_has_one_line() -> None:
    with served() as running:
        for _ in range(3):
            with sent(("127.0.0.1", running.port), b"canary\r\n\r\n") as connection:
                answer = read(connection)
                assert (answer.status, answer.is_last, is_closed(connection)) == (400, True, True)
            assert json.loads(answer.body)["error"] == "the request is not HTTP/1.1"
        running.process.send_signal(signal.SIGINT)
        running.process.wait(timeout=30)
        log = running.process.stderr.read() if running.process.stderr else ""

    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert events == ["started", "ready", "request refused", "stopping", "stopped"]
    assert "canary" not in log


def test_no_answer_is_in_the_middle_of_another() -> None:
    """What follows on a request that is being answered is no HTTP."""
    go_on = threading.Event()

    def wait(_: SyncRequest) -> SyncResponse:
        go_on.wait(PATIENCE)
        return SyncResponse({"a": 1})

    with serving(controller(wait)) as at, sent(at, REQUEST + b"canary\r\n\r\n") as connection:
        received = b"".join(iter(lambda: connection.recv(65536), b""))
        go_on.set()

    assert len(re.findall(b"HTTP/1.1 ", received)) <= 1


def test_a_trailer_is_no_header() -> None:
    head = raw(b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    content = sync_body()
    with serving() as at:
        for trailer in (b"Content-Encoding: gzip", b"Expect: 100-continue"):
            chunked = head + b"%x\r\n%s\r\n0\r\n%s\r\n\r\n" % (len(content), content, trailer)
            with sent(at, chunked) as connection:
                assert read(connection).status == 200
                connection.sendall(REQUEST)
                assert read(connection).status == 200


@pytest.mark.parametrize("is_reset", [False, True], ids=["closed", "reset"])
def test_a_client_that_leaves_is_counted_and_is_no_failure(caplog: pytest.LogCaptureFixture, *, is_reset: bool) -> None:
    with serving(options=ServerOptions(Limits(max_in_flight=1))) as at:
        for content in (REQUEST[:-10], REQUEST):
            with sent(at, content) as connection:
                if is_reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert eventually(lambda: asked(at, REQUEST).status == 200)

    assert [record for record in caplog.records if record.exc_info or record.name.startswith("uvicorn")] == []


def count_of(at: At, connections: int) -> list[int]:
    """Return the statuses of requests on so many connections, each while those before it are open."""
    with ExitStack() as stack:
        return [read(stack.enter_context(sent(at, REQUEST))).status for _ in range(connections)]


def test_requests_on_more_connections_than_the_limit_get_503_until_others_are_closed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving(options=ServerOptions(Limits(max_connections=3))) as at:
        assert count_of(at, 5) == [200, 200, 200, 503, 503]
        assert eventually(lambda: count_of(at, 3) == [200, 200, 200])
    assert "status=503 error=" in caplog.text
    assert "limit=max_connections" in caplog.text


def test_connections_far_beyond_the_limit_are_closed_before_they_send_a_request(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Limits, "spare_connections", 1)
    with serving(options=ServerOptions(Limits(max_connections=1))) as at, ExitStack() as stack:
        *spare, far = (stack.enter_context(sent(at, b"")) for _ in range(3))
        assert is_closed(far)
        spare[1].sendall(REQUEST)
        assert read(spare[1]).status == 503
    assert "connection closed limit=max_connections" in caplog.text


LONG = 900_000
"""Bytes of a response that the buffers of the client have no room for."""


def test_a_client_that_reads_nothing_of_a_response_loses_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that reads slowly does not."""
    monkeypatch.setattr(Limits, "write_timeout", 1)
    app = create_app(controller(lambda _: SyncResponse({"a": "x" * LONG})))
    connections = app.state.service.metrics.connections
    with serving_app(app) as at, sent(at, b"") as slow, sent(at, b"") as silent:
        for client in (slow, silent):
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(REQUEST)
        received = 0
        for _ in range(20):
            received += len(slow.recv(20_000))
            time.sleep(0.1)
        assert received < LONG
        assert eventually(lambda: connections.collect()[0].samples[0].value == 1)
        assert slow.recv(20_000)
