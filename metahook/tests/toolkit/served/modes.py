"""The modes in which a hook is served: to all, over TLS, to clients with a certificate, to clients with a token."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPResponse
from pathlib import Path
from typing import NamedTuple

from metahook.server.callers.tls import Certificates
from metahook.server.callers.tokens import Tokens
from metahook.server.limits import DEFAULT_LIMITS, Limits
from starlette.types import ASGIApp

from toolkit.hooks.minimal import sync_body
from toolkit.served.tls import Pki, serving

MODES = ("plain", "TLS", "client certificates", "token")
PATIENCE = 10
TOKEN = "a-token"  # noqa: S105 - of a server that the tests start


def is_closed(connection: socket.socket) -> bool:
    """Tell whether the server closes *connection*, without a response; raise TimeoutError if it does neither."""
    with suppress(ConnectionError, ssl.SSLError):
        return connection.recv(1) == b""
    return True


@dataclass(frozen=True)
class Mode:
    """How a hook is served, and how its callers call it."""

    certificates: Certificates | None = None
    tokens: Tokens | None = None
    client: ssl.SSLContext | None = None
    header: str = "Accept: */*"
    options: tuple[str, ...] = ()
    """Those of a command that serves a hook."""

    @contextmanager
    def serving(
        self, limits: Limits = DEFAULT_LIMITS, app: ASGIApp | None = None
    ) -> Iterator[tuple[Callable[[], socket.socket], list[str]]]:
        """Serve *app* (default: the tiny controller); yield what connects, and why connections are closed."""
        closed = list[str]()
        with serving(self.certificates, self.tokens, closed.append, app, limits) as address:
            yield lambda: socket.create_connection(address, PATIENCE), closed

    def handshake(self, connection: socket.socket) -> socket.socket:
        """Return *connection*, over TLS where the mode says so."""
        return self.client.wrap_socket(connection, server_hostname="127.0.0.1") if self.client else connection

    def request(self, body: bytes | None = None) -> bytes:
        """Return a request that is answered with 200."""
        content = sync_body() if body is None else body
        length = f"Content-Length: {len(content)}"
        lines = ("POST /sync HTTP/1.1", "Host: hook", "Content-Type: application/json", length, self.header)
        return "\r\n".join((*lines, "", "")).encode() + content


class Answer(NamedTuple):
    """A response."""

    status: int
    body: bytes
    is_last: bool
    """Whether it says that the connection is closed."""


def read_answer(connection: socket.socket) -> Answer:
    """Return the next response on *connection*; raise HTTPException or OSError if there is none."""
    with HTTPResponse(connection) as response:
        response.begin()
        return Answer(response.status, response.read(), response.headers["connection"] == "close")


def create_mode(name: str, folder: Path) -> Mode:
    """Return the mode with this *name*; its files are written into *folder*."""
    if name == MODES[0]:
        return Mode()
    pki = Pki(folder)
    has_ca = name == MODES[2]
    client = pki.client(pki.ca.issue_cert("metacontroller@example.com") if has_ca else None)
    tls = Mode(
        pki.certificates(client_ca=has_ca), client=client, options=(f"--tls-cert={pki.cert}", f"--tls-key={pki.key}")
    )
    if has_ca:
        return replace(tls, options=(*tls.options, f"--tls-client-ca={pki.client_ca}"))
    if name == "token":
        file = folder / "token"
        file.write_text(TOKEN)
        header = f"Authorization: Bearer {TOKEN}"
        return replace(tls, tokens=Tokens(file), header=header, options=(*tls.options, f"--tokens={file}"))
    return tls
