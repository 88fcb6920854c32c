"""The proxy as a process: no call is lost or changed, and what is recorded is replayed."""

import asyncio
import json
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from metahook.cli.hooks.remote_hook import TIMEOUT as TIMEOUT_OF_METACONTROLLER
from metahook.envtest.process import free_port
from metahook.protocol.bodies import MIB
from metahook.protocol.request_builder import sync_request
from metahook.record.proxy import TIMEOUT, Proxy
from metahook.record.recorder import Recorder
from metahook.record.redaction import Redaction
from toolkit.hooks.minimal import sync_body
from toolkit.recording import GENERIC, Running, recording
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, WIDGETS, served
from toolkit.served.tls import Pki
from toolkit.widgets import grouped, widget

Json = dict[str, Any]

CANARY = "canary-c9f0f895"
BODY = sync_body(later=CANARY)
RESET = struct.pack("ii", 1, 0)
"""With this option, closing a socket resets the connection."""


class Received(NamedTuple):
    """A request as it arrives at a hook."""

    line: str
    headers: Json
    body: bytes


class Hook(ThreadingHTTPServer):
    """A hook of any behaviour: *respond* writes to the connection."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[Received] = []
        self.respond: Callable[[_Handler], None] = answer(200)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hook

    def do_POST(self) -> None:
        self.server.respond(self)

    do_GET = do_POST  # noqa: N815 - as http.server calls it

    def read(self) -> None:
        """Read the request."""
        length = self.headers.get("Content-Length")
        body = self.rfile.read(int(length)) if length else b"".join(iter(self._chunk, b""))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append(Received(self.requestline, headers, body))

    def _chunk(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return b""
        chunk = self.rfile.read(int(self.rfile.readline(), 16))
        self.rfile.readline()
        return chunk

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def answer(
    status: int, body: bytes = b'{"status":{"a":1},"children":[]}', **headers: str
) -> Callable[[_Handler], None]:
    """Return what reads the request, and responds."""

    def respond(handler: _Handler) -> None:
        handler.read()
        handler.send_response(status)
        for name, value in {"content_length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


@pytest.fixture(name="hook", scope="module")
def _hook() -> Iterator[Hook]:
    with Hook() as hook:
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        yield hook
        hook.shutdown()


@pytest.fixture(name="shared", scope="module")
def _shared(hook: Hook, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with recording(hook.url, tmp_path_factory.mktemp("recordings") / "new") as running:
        yield running


REQUESTS: dict[str, Json] = {
    "a sync": {"url": "/sync?rev=0.2.0-1&a=%2F", "content": BODY, "headers": JSON},
    "with a token": {"url": "/sync", "content": BODY, "headers": {**JSON, "authorization": "Bearer secret"}},
    "compressed": {"url": "/a%20b/sync", "content": b"\x1f\x8b", "headers": {**JSON, "content-encoding": "gzip"}},
    "in chunks": {"url": "/customize", "content": [b"{", b"", b"}"], "headers": JSON},
    "without a body": {"url": "/sync", "headers": {"x-trace": "1"}},
    "with a path that leads up": {"url": "/x/../sync/./a//b", "content": BODY, "headers": JSON},
    "another method": {"method": "GET", "url": "/openapi.json"},
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=list(REQUESTS))
def test_the_hook_gets_a_request_as_it_was_sent(request_: Json, hook: Hook, shared: Running) -> None:
    hook.respond = answer(200)
    hook.received.clear()
    for url in (hook.url, shared.url):
        headers = {**request_.get("headers", {}), "accept-encoding": "identity", "connection": "close"}
        content = request_.get("content")
        sent = {
            "method": "POST",
            **request_,
            "url": url,
            "headers": headers,
            "content": iter(content) if isinstance(content, list) else content,
            "extensions": {"target": request_["url"].encode()},
        }
        assert CLIENT.request(**sent).status_code == 200

    directly, forwarded = hook.received
    for received in (directly, forwarded):
        for name in ("host", "connection", "accept-encoding"):
            received.headers.pop(name, None)
    assert forwarded == directly


RESPONSES: dict[str, tuple[int, Json]] = {
    "a decision": (200, {"content_type": "application/json"}),
    "malformed": (400, {}),
    "no token": (401, {"www_authenticate": "Bearer"}),
    "too large": (413, {}),
    "overload": (429, {"retry_after": "3"}),
    "a bug": (500, {"date": "Sat, 31 Jan 2026 12:00:00 GMT", "server": "x"}),
    "elsewhere": (307, {"location": "http://hook.example/sync"}),
    "a proxy behind": (502, {}),
    "busy": (503, {"retry_after": "Sat, 31 Jan 2026 12:00:00 GMT"}),
}


@pytest.mark.parametrize(("status", "headers"), RESPONSES.values(), ids=list(RESPONSES))
def test_the_caller_gets_the_response_as_it_was_sent(status: int, headers: Json, hook: Hook, shared: Running) -> None:
    hook.respond = answer(status, b'{"a": "\\u00e9" }', **headers)

    directly, forwarded = (CLIENT.post(f"{url}/sync", content=BODY, headers=JSON) for url in (hook.url, shared.url))

    assert (forwarded.status_code, forwarded.content) == (directly.status_code, directly.content)
    assert _lasting(forwarded) == _lasting(directly)


def _lasting(response: httpx.Response) -> list[tuple[bytes, bytes]]:
    """Return the headers, without the time of the test hook if it is another second."""
    return sorted((name.lower(), value) for name, value in response.headers.raw if name.lower() != b"date")


def test_a_response_that_comes_before_the_body_was_read_is_passed_on(
    tmp_path: Path,
) -> None:
    with served(*WIDGETS, "--max-body=1") as small, recording(small.url, tmp_path / "new") as running:
        for url in (small.url, running.url):
            assert CLIENT.post(f"{url}/sync", content=b"x" * 8 * MIB, headers=JSON).status_code == 413


def test_a_proxy_with_a_certificate_serves_https_alone(hook: Hook, tmp_path: Path) -> None:
    pki = Pki(tmp_path)
    hook.respond = answer(200)
    options = (f"--tls-cert={pki.cert}", f"--tls-key={pki.key}")
    with recording(hook.url, tmp_path / "new", *options, scheme="https") as running:
        assert httpx.post(f"{running.url}/sync", content=BODY, headers=JSON, verify=pki.client()).status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            CLIENT.post(f"{running.url}/sync".replace("https", "http"), content=BODY, headers=JSON)


def _reset(handler: _Handler) -> None:
    handler.read()
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    handler.connection.close()


def _cut(handler: _Handler) -> None:
    handler.read()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{" + CANARY.encode())
    handler.close_connection = True


def _babble(handler: _Handler) -> None:
    handler.read()
    handler.wfile.write(CANARY.encode() + b"\r\n\r\n")
    handler.close_connection = True


@pytest.mark.parametrize("respond", [_reset, _cut, _babble])
def test_a_hook_that_does_not_respond_is_a_502_that_has_nothing_of_the_request(
    respond: Callable[[_Handler], None], hook: Hook, shared: Running
) -> None:
    hook.respond = respond

    response = CLIENT.post(f"{shared.url}/sync?{CANARY}", content=BODY, headers=JSON)

    assert (response.status_code, response.json()) == (502, {"error": "the hook did not respond"})


def test_a_hook_that_is_down_is_a_502_and_the_log_has_nothing_of_the_request(tmp_path: Path) -> None:
    with recording(f"http://127.0.0.1:{free_port()}", tmp_path / "new") as running:
        response = CLIENT.post(f"{running.url}/sync?{CANARY}", content=BODY, headers={**JSON, "authorization": CANARY})
        log = running.stop()

    assert (response.status_code, response.json()) == (502, {"error": "the hook did not respond"})
    assert "the hook did not respond: ConnectError" in log
    assert f"recording requests in {tmp_path}/new: they contain users' data; keep them private" in log
    assert CANARY not in log
    assert list((tmp_path / "new").iterdir()) == []


def test_calls_do_not_wait_for_each_other_and_longer_than_their_caller_does(hook: Hook, shared: Running) -> None:
    def slow(handler: _Handler) -> None:
        time.sleep(1)
        answer(200)(handler)

    hook.respond = slow
    with ThreadPoolExecutor(150) as threads, httpx.Client(limits=httpx.Limits()) as client:
        began = time.monotonic()
        sent = [threads.submit(client.post, f"{shared.url}/sync", content=BODY, headers=JSON) for _ in range(150)]

        assert {each.result().status_code for each in sent} == {200}
        assert time.monotonic() - began < 15
    assert TIMEOUT > TIMEOUT_OF_METACONTROLLER


def test_a_caller_that_goes_away_while_it_sends_harms_no_other(hook: Hook, shared: Running) -> None:
    hook.respond = answer(200)
    address = httpx.URL(shared.url)
    with socket.create_connection((address.host, address.port or 0)) as caller:
        caller.sendall(b"POST /sync HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")

    assert CLIENT.post(f"{shared.url}/sync", content=BODY, headers=JSON).status_code == 200


def test_a_body_that_does_not_arrive_is_refused_in_time(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metahook.record.proxy.BODY_TIMEOUT", 0.05)
    hook.respond = answer(200)
    recorder = Recorder(tmp_path, MIB, "1", Redaction())

    async def stalls() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    async def sent() -> httpx.Response:
        async with httpx.AsyncClient() as client:
            proxy = httpx.ASGITransport(Proxy(httpx.URL(hook.url), client, recorder))
            async with httpx.AsyncClient(transport=proxy) as caller:
                return await caller.post("http://proxy/sync", content=stalls(), headers=JSON)

    response = asyncio.run(sent())

    assert (response.status_code, response.json()) == (408, {"error": "the request was not sent in time"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sent", [b"CONNECT hook:80 HTTP/1.1\r\nHost: hook:80\r\n\r\n", b"canary\r\n\r\n"])
def test_what_the_server_of_hooks_refuses_the_proxy_refuses(sent: bytes, shared: Running) -> None:
    with caller(shared, sent) as sender:
        assert received(sender).startswith(b"HTTP/1.1 400 ")


def test_a_token_in_a_trailer_is_no_token_behind_the_proxy(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(CANARY)
    head = b"POST /sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    content = sync_request(widget(), grouped(), {})
    body = b"\r\n%x\r\n%s\r\n0\r\n" % (len(content), content)
    token = f"Authorization: Bearer {CANARY}\r\n".encode()
    tokens = f"--tokens={tmp_path / 'token'}"
    with served(*WIDGETS, tokens) as hook, recording(hook.url, tmp_path / "new") as running:
        statuses = []
        for sent in (head + body + token + b"\r\n", head + token + body + b"\r\n"):
            with caller(running, sent) as sender:
                statuses.append(sender.recv(12))

    assert statuses == [b"HTTP/1.1 401", b"HTTP/1.1 200"]


def caller(running: Running, sent: bytes) -> socket.socket:
    """Return a connection on which *sent* has been sent."""
    address = httpx.URL(running.url)
    connection = socket.create_connection((address.host, address.port or 0), timeout=10)
    connection.sendall(sent)
    return connection


def received(connection: socket.socket) -> bytes:
    """Return what the proxy sends until it closes *connection*."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


# What is recorded


def kept_of(calls: Iterable[tuple[int, Json]], hook: Hook, folder: Path) -> list[Json]:
    with recording(hook.url, folder) as running:
        for status, request in calls:
            hook.respond = answer(status)
            CLIENT.request(**{"method": "POST", **request, "url": f"{running.url}{request['url']}", "headers": JSON})
        return running.kept()


def test_only_calls_that_the_hook_decides_are_recorded(hook: Hook, tmp_path: Path) -> None:
    sync = {"url": "/sync", "content": BODY}
    statuses = (200, 400, 401, 404, 413, 429, 500, 502, 503)
    calls = [(status, sync) for status in statuses] + [(200, {"method": "GET", "url": "/openapi.json"})]

    assert [each["status"] for each in kept_of(calls, hook, tmp_path / "new")] == [200, 500]


def test_a_request_over_the_memory_is_passed_on_and_not_recorded(hook: Hook, tmp_path: Path) -> None:
    large = {"url": "/sync", "content": sync_body(later="x" * 17 * MIB)}
    hook.received.clear()

    found = kept_of([(200, large), (200, {"url": "/sync", "content": BODY})], hook, tmp_path / "new")

    assert [len(each.body) for each in hook.received] == [len(large["content"]), len(BODY)]
    assert [len(each["request"]["later"]) for each in found] == [len("redacted-1")]


def test_any_hook_is_recorded_without_the_content_of_secrets(hook: Hook, tmp_path: Path) -> None:
    item = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": CANARY}}
    body = sync_body(related={"Secret.v1": {"s": item}})

    (found,) = kept_of([(200, {"url": "/team/sync?rev=1", "content": body})], hook, tmp_path / "new")

    assert found["path"] == "/team/sync"
    assert CANARY not in json.dumps(found)


def test_a_disk_that_hangs_delays_no_response(hook: Hook, tmp_path: Path) -> None:
    source = """
import time
from metahook.record.recorder import Folder
Folder.save = lambda *_: time.sleep(3)
from metahook.cli.program import main
main()
"""
    slow = (GENERIC[0], "-c", source, "record")
    with recording(hook.url, tmp_path / "new", command=slow) as running:
        began = time.monotonic()
        with httpx.Client(base_url=running.url) as client:
            answers = [client.post("/sync", content=BODY, headers=JSON).status_code for _ in range(5)]
        took = time.monotonic() - began
        running.process.kill()

    assert answers == [200] * 5
    assert took < 2
