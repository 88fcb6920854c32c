"""A proxy between Metacontroller and the hook. While it misbehaves, every second request fails."""

import os
import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

import httpx

PATIENCE = 1
"""Timeout in seconds of hook calls through the proxy; the ten that are shipped would slow the tests down."""

MISBEHAVIOURS = ("times out", "resets", "cuts its answer", "500", "429")

_RESET = struct.pack("ii", 1, 0)
"""With this option, closing a socket resets the connection."""


class Proxy(ThreadingHTTPServer):
    """Forwards requests to *target*, the URL of a hook, until the block ends."""

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = target
        self.misbehaves = ""
        """One of MISBEHAVIOURS, or empty."""
        self.went_wrong: Counter[str] = Counter()
        self.hosts: set[str] = set()
        """The hosts that Metacontroller requested, if this is its HTTP proxy."""
        self.tunnels: set[str] = set()
        """The hosts and ports that Metacontroller connected to through the proxy, for TLS."""
        self.tls_target = ""
        """The URL of the hook that these connections go to."""
        self.held: list[bytes] = []
        """Syncs that the hook has answered while answers are held."""
        self._answers = threading.Event()
        self._answers.set()
        self._hook = httpx.Client(trust_env=False, headers={"Content-Type": "application/json"})
        self._lock = threading.Lock()
        self._turn = 0

    @property
    def url(self) -> str:
        """The URL of the proxy."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, name="proxy", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self._hook.close()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold the answers to syncs until the block ends: what happens in it, the hook has not seen."""
        self.held.clear()
        self._answers.clear()
        try:
            yield
        finally:
            self._answers.set()

    def wait_to_answer(self, path: str, body: bytes) -> None:
        """Wait until the answer to a request may be sent."""
        if urlsplit(path).path == "/sync" and not self._answers.is_set():
            self.held.append(body)
            self._answers.wait()

    def fate(self) -> str:
        """Return the failure of the next request, or an empty string."""
        with self._lock:
            self._turn += 1
            fate = self.misbehaves if self._turn % 2 else ""
            self.went_wrong[fate] += 1
        return fate

    def ask(self, path: str, body: bytes) -> httpx.Response | None:
        """Return the response of the hook, or None if it is down."""
        meant = urlsplit(path)
        self.hosts.add(meant.netloc)
        try:
            return self._hook.post(f"{self.target}{meant.path}?{meant.query}", content=body)
        except httpx.TransportError:
            return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_POST(self) -> None:
        """Forward a request, or fail as configured."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fate = self.server.fate()
        if fate.isdigit():
            self._answer(int(fate), b'{"error":"not now"}')
            return
        if fate == "times out":
            time.sleep(2 * PATIENCE)
        answer = None if fate in ("times out", "resets") else self.server.ask(self.path, body)
        if answer is None:
            self._reset()
            return
        self.server.wait_to_answer(self.path, body)
        cut = len(answer.content) // 2 if fate else None
        self._answer(answer.status_code, answer.content, cut)

    def do_CONNECT(self) -> None:
        """Forward a TLS connection, which the proxy can't read, until one side closes it."""
        self.server.tunnels.add(self.path)
        target = urlsplit(self.server.tls_target)
        self.close_connection = True
        with suppress(OSError), socket.create_connection((target.hostname, target.port)) as hook:
            self.send_response(200)
            self.end_headers()
            others = {self.connection: hook, hook: self.connection}
            while data := {end: end.recv(1 << 16) for end in select.select(others, [], [])[0]}:
                if b"" in data.values():
                    break
                for end, sent in data.items():
                    others[end].sendall(sent)

    def _answer(self, status: int, content: bytes, cut: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status == httpx.codes.TOO_MANY_REQUESTS:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(content[:cut])
        if cut is not None:
            self._reset()

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        os.close(self.connection.detach())

    def log_message(self, *_: object) -> None:
        """Log nothing."""
