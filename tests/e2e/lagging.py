"""An API server whose list or watch of MyResources lags: a proxy between Metacontroller and the real one."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import httpx

from app.api.names import API_VERSION, PLURAL
from metahook.envtest.binaries import find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.control_plane import METACONTROLLER

MYRESOURCES = f"/apis/{API_VERSION}/{PLURAL}"
_FORWARDED = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
_NO_STREAM = {
    "apiVersion": "v1",
    "kind": "Status",
    "status": "Failure",
    "reason": "Invalid",
    "code": 422,
    "message": "sendInitialEvents is forbidden for watch",
}
"""What an API server that does not stream lists responds to a watch that asks for one. Then client-go lists."""


class LaggingApiServer(ThreadingHTTPServer):
    """Forwards all requests to the API server, with the credentials of *client*, until the block ends."""

    daemon_threads = True

    def __init__(self, client: httpx.Client) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.client = client
        self.past = b""
        """The list of MyResources as it was; empty while nothing lags."""
        self._remembered = b""
        self._last_event = b""
        self._is_up_to_date = threading.Event()
        self._is_up_to_date.set()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, name="lagging", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.catch_up()
        self.shutdown()
        self.server_close()

    def kubeconfig(self, file: Path) -> Path:
        """Write a kubeconfig for this server to *file*."""
        named = {"name": "it", "context": {"cluster": "it", "user": ""}}
        cluster = {"name": "it", "cluster": {"server": f"http://127.0.0.1:{self.server_port}"}}
        config = {"clusters": [cluster], "contexts": [named], "current-context": "it"}
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **config}))
        return file

    def remember(self) -> None:
        """Remember the MyResources as they are."""
        self._remembered = self.client.get(MYRESOURCES).raise_for_status().content

    def lag(self) -> None:
        """From now on list what was remembered; a watch delivers nothing until this server catches up."""
        self._is_up_to_date.clear()
        self.past = self._remembered

    def hold(self) -> None:
        """Let watches deliver nothing from now on, until this server catches up."""
        self._is_up_to_date.clear()

    def hold_after(self, text: str) -> None:
        """Let watches deliver nothing after the event of a MyResource that has *text*, until this server catches up."""
        self._last_event = text.encode()

    def delivered(self, event: bytes) -> None:
        """Hold what comes after *event*, if it is the one to hold after."""
        if self._last_event and self._last_event in event:
            self._last_event = b""
            self._is_up_to_date.clear()

    def catch_up(self) -> None:
        """Lag no longer: watches deliver what has happened since the past list."""
        self.past = b""
        self._is_up_to_date.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore that Metacontroller or the API server ended a connection: the other one ends with it."""
        if not isinstance(sys.exception(), (ConnectionError, httpx.TransportError)):
            super().handle_error(request, client_address)

    def wait(self) -> None:
        """Wait until this server is up to date."""
        self._is_up_to_date.wait()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LaggingApiServer

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        is_watch = "true" in query.get("watch", [])
        if self.server.past and url.path == MYRESOURCES:
            if "true" in query.get("sendInitialEvents", []):
                self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, json.dumps(_NO_STREAM).encode())
                return
            if not is_watch:
                self._answer(HTTPStatus.OK, self.server.past)
                return
            self.server.wait()
        self._forward(body, timeout=None if is_watch else 30, lags=is_watch and url.path == MYRESOURCES)

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _forward(self, body: bytes, *, timeout: float | None, lags: bool) -> None:
        headers = {name: self.headers[name] for name in _FORWARDED if name in self.headers}
        call = self.server.client.stream(self.command, self.path, headers=headers, content=body, timeout=timeout)
        self.close_connection = True
        with call as response:
            self.send_response(response.status_code)
            for name in ("Content-Type", "Content-Encoding", "Retry-After"):
                if name in response.headers:
                    self.send_header(name, response.headers[name])
            self.send_header("Connection", "close")
            self.end_headers()
            for part in response.iter_raw():
                if lags:
                    self.server.wait()
                self.wfile.write(part)
                self.wfile.flush()
                if lags:
                    self.server.delivered(part)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle  # noqa: N815 - the names of http.server

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@dataclass(frozen=True)
class LaggingCluster:
    """A cluster, and Metacontroller behind an API server that can lag."""

    cluster: Cluster
    api: LaggingApiServer
    metacontroller: Process


@contextmanager
def lagging_cluster(mode: Mode, folder: Path) -> Iterator[LaggingCluster]:
    """Start such a cluster with its files in *folder*, and stop it when the block ends."""
    cluster = Cluster(find_binaries(), folder)
    metacontroller = cluster.metacontroller(mode)
    with started(cluster), LaggingApiServer(cluster.control_plane.client(METACONTROLLER).http) as api:
        option = f"--kubeconfig={api.kubeconfig(folder / 'lagging.kubeconfig')}"
        metacontroller.command = [
            option if word.startswith("--kubeconfig=") else word for word in metacontroller.command
        ]
        with started(metacontroller):
            yield LaggingCluster(cluster, api, metacontroller)
