"""A server for the hooks of a controller that keeps what Metacontroller asks, and when."""

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from metahook.simulator.hook import Hook
from metahook.simulator.objects import Json


@dataclass(frozen=True)
class Call:
    """A request of Metacontroller to the hook; *at* is when it arrived, *until* when it was answered."""

    hook: str
    request: Json
    at: float
    until: float
    status: int
    answer: str

    @property
    def name(self) -> str:
        """The name of the parent."""
        found: str = self.request["parent"]["metadata"]["name"]
        return found

    @property
    def namespace(self) -> str:
        """The namespace of the parent."""
        found: str = self.request["parent"]["metadata"]["namespace"]
        return found


class RecordingServer(ThreadingHTTPServer):
    """Serves *hook* until the block ends, and keeps all calls in the order of their answers.

    It is not :class:`metahook.envtest.cluster.hook_server`, because tests hold calls, each in a thread, and respond
    with what the toolkit's service never sends.
    """

    daemon_threads = True

    def __init__(self, hook: Hook) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hook = hook
        self.calls: list[Call] = []

    @property
    def url(self) -> str:
        """The URL of the hooks."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, name="recorded hook", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingServer

    def do_POST(self) -> None:
        at, hook = time.time(), self.path.strip("/")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.hook(hook, body)
        self.server.calls.append(Call(hook, json.loads(body), at, time.time(), reply.status, reply.body.decode()))
        self.send_response(reply.status)
        if reply.retry_after is not None:
            self.send_header("Retry-After", f"{reply.retry_after:g}")
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""
