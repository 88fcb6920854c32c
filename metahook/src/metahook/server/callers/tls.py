"""TLS: the certificate of the server, and the certificates that clients need.

When the files change, new connections use the new certificates and CAs. Established connections stay open.
"""

import ssl
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.callers.pem import Pair, as_file, load_client_cas, load_pair
from metahook.server.callers.watched_files import Loaded
from metahook.server.connections.connection import connection_of
from metahook.server.refusal import FORBIDDEN, Refusal, respond_without_id

MinVersion = Literal["1.2", "1.3"]

_MIN_VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}

_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Of TLS 1.2: those with forward secrecy that authenticate what they encrypt, as all of TLS 1.3 do."""

HANDSHAKE = "handshake"
"""Why a connection is closed: it has no version of TLS that is accepted, or the client does not trust the server."""

CLIENT_CERTIFICATE = "client_certificate"
"""Why a connection is closed: the client has no certificate, or none that is valid."""

HANDSHAKE_TIMEOUT = "handshake_timeout"
"""Why a connection is closed: the handshake took longer than this limit."""

_NO_CLIENT_CERTIFICATE = "PEER_DID_NOT_RETURN_A_CERTIFICATE"


class Certificates:
    """The certificate and its key, in PEM files. With *client_ca*, clients need a certificate of a CA in that file.

    A certificate whose extended key usages are for servers alone is refused. With *client_names*,
    requests of clients whose certificate has none of them are refused. *min_version* is that of TLS. Raise CannotLoad.
    """

    current: ssl.SSLContext
    """The context for a connection that begins now.

    Each change makes a new one, rather than new files in the old one: a CA can't be taken out of a context, and the
    sessions of its clients could be resumed.
    """

    def __init__(
        self,
        cert: Path,
        key: Path,
        client_ca: Path | None = None,
        *,
        client_names: Collection[str] = (),
        min_version: MinVersion = "1.3",
    ) -> None:
        self.client_names = frozenset(client_names)
        self._min_version = _MIN_VERSIONS[min_version]
        self._pair: Loaded[Pair] = Loaded(
            "certificate", [cert, key], partial(load_pair, cert, key), lambda pair: pair.weaknesses, self._use_pair
        )
        self._client_cas = load_client_cas(client_ca, self._use_client_cas) if client_ca else None
        self._use_pair(self._pair.value)

    @property
    def expiry(self) -> int:
        """The time, in seconds since 1970, when the certificate in use expires."""
        return self._pair.value.expiry

    @property
    def unusable(self) -> int:
        """How many have changed and can't be used: the certificate with its key, and the CAs of clients."""
        return sum(loaded.is_unusable for loaded in self._parts)

    def reload(self) -> bool:
        """Read the files again if they have changed; return whether new ones are in use."""
        # Each part on its own: a CA that is removed is not kept because of a certificate that can't be used.
        changed = [part.reload() for part in self._parts]
        return any(changed)

    def warn(self) -> None:
        """Log the weaknesses of the files that the server starts with. A reload logs those of new files."""
        for part in self._parts:
            part.warn()

    @property
    def _parts(self) -> "list[Loaded[Pair] | Loaded[bytes]]":
        return [self._pair, self._client_cas] if self._client_cas else [self._pair]

    def _use_pair(self, pair: Pair) -> None:
        self.current = self._new_context(pair, self._client_cas.value if self._client_cas else None)

    def _use_client_cas(self, client_cas: bytes) -> None:
        self.current = self._new_context(self._pair.value, client_cas)

    def _new_context(self, pair: Pair, client_cas: bytes | None) -> ssl.SSLContext:
        context = _Context(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = self._min_version
        context.set_ciphers(_CIPHERS)
        pair.use_in(context)
        if client_cas is not None:
            _require_client_certificates(context, client_cas)
        return context


def _require_client_certificates(context: ssl.SSLContext, client_cas: bytes) -> None:
    """Have *context* refuse clients without a certificate of a CA in *client_cas*; raise OSError."""
    context.verify_mode = ssl.CERT_REQUIRED
    # A CA may be given without the one that has signed it.
    context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    # A resumed session is not asked for a certificate again: see also _refuse_resumed.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET
    if client_cas:
        with as_file(client_cas) as file:
            context.load_verify_locations(file)


class _ServerSide(ssl.SSLObject):
    """The server's side of a connection."""

    def do_handshake(self) -> None:
        super().do_handshake()
        self._refuse_resumed()

    def _refuse_resumed(self) -> None:
        """Raise SSLError if a session of TLS 1.2 was resumed by a client that needs a certificate.

        OpenSSL would neither ask for it again nor look whether it has expired. It forgets the session of a connection
        that ends like this, so that the client's next one has a whole handshake. The standard library has no way to
        turn off its cache of sessions.
        """
        if self.session_reused and self.context.verify_mode is ssl.CERT_REQUIRED:
            message = "a session was resumed without a certificate"
            raise ssl.SSLCertVerificationError(message)

    @cached_property
    def client_names(self) -> frozenset[str]:
        """The names in the certificate of the client: the alternative names, or else the common name."""
        peer: Any = self.getpeercert() or {}
        names = {value for _, value in peer.get("subjectAltName", ())}
        common = {value for part in peer.get("subject", ()) for name, value in part if name == "commonName"}
        return frozenset(names or common)


def why_refused(error: ssl.SSLError) -> str:
    """Return why the connection is closed whose handshake has failed with *error*."""
    is_of_client = isinstance(error, ssl.SSLCertVerificationError) or error.reason == _NO_CLIENT_CERTIFICATE
    return CLIENT_CERTIFICATE if is_of_client else HANDSHAKE


class _Context(ssl.SSLContext):
    """The context of one certificate."""

    sslobject_class = _ServerSide


@dataclass(frozen=True)
class NameCheck:
    """Middleware: refuses requests of clients whose certificate has none of *names*, before their bodies are read.

    *refuse* returns the response of a refusal to a request for a path. Other servers do not pass the certificate on, so
    every request is refused there.
    """

    app: ASGIApp
    names: frozenset[str]
    refuse: Callable[[Refusal, str], ASGIApp] = respond_without_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        connection = connection_of(scope)
        tls = connection.tls if connection else None
        is_accepted = isinstance(tls, _ServerSide) and not self.names.isdisjoint(tls.client_names)
        is_request = scope["type"] != "lifespan"
        app = self.refuse(FORBIDDEN, scope["path"]) if is_request and not is_accepted else self.app
        await app(scope, receive, send)
