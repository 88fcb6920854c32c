"""TLS: the certificate of the server, and the certificates that clients need.

When the files change, new connections use the new certificates and CAs. Established connections stay open.
"""

import asyncio
import ssl
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from metahook.server.limits import DEFAULT_LIMITS, Limits
from metahook.server.watched_files import CannotLoad, Loaded, read

HANDSHAKE = "handshake"
"""Why a connection is closed: it has no TLS 1.2 or later, or the client does not trust the server's certificate."""

CLIENT_CERTIFICATE = "client_certificate"
"""Why a connection is closed: the client has no certificate, or none that is valid."""

HANDSHAKE_TIMEOUT = "handshake_timeout"
"""Why a connection is closed: the handshake took longer than this limit."""

_EARLIER = 0.01
"""Seconds."""

Closed = Callable[[str], None]
"""Called with the reason when a connection is closed before its first request."""

_NO_CLIENT_CERTIFICATE = "PEER_DID_NOT_RETURN_A_CERTIFICATE"

_NO_CHECK_TIME = ssl.VerifyFlags(0x200000)
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL, for which the standard library has no name."""


class Certificates:
    """The certificate and its key, in PEM files. With *client_ca*, clients need a certificate of a CA in that file.

    Any name in a client's certificate will do. One whose extended key usages are for servers alone is refused. Raise
    CannotLoad.
    """

    def __init__(self, cert: Path, key: Path, client_ca: Path | None = None) -> None:
        files = [path for path in (cert, key, client_ca) if path]
        self._closed: Closed = _ignore
        self._loaded = Loaded("certificate", lambda: files, lambda: _load(cert, key, client_ca, self._report))

    @property
    def expiry(self) -> int:
        """The time, in seconds since 1970, when the certificate in use expires."""
        return self._loaded.value.expiry

    @property
    def current(self) -> ssl.SSLContext:
        """The context for a connection that begins now."""
        return self._loaded.value.context

    def context(self, closed: Closed, limits: Limits = DEFAULT_LIMITS) -> "ListenersContext":
        """Return a context for a listener, which has the certificate in use at the start of each connection.

        *closed* is called with the reason when a handshake fails or takes too long.
        """
        self._closed = closed
        context = ListenersContext(ssl.PROTOCOL_TLS_SERVER)
        context.certificates, context.limits, context.closed = self, limits, closed
        return context

    def reload(self) -> bool:
        """Read the files again if they have changed; return whether they are in use."""
        return self._loaded.reload()

    def _report(self, reason: str) -> None:
        self._closed(reason)


class ListenersContext(ssl.SSLContext):
    """Gives each connection to the context of that moment.

    Why a new context for each change, rather than new files in the old one: a CA can't be taken out of a context, and
    the sessions of its clients could be resumed. Without a certificate of its own, this context lets no connection in.
    """

    certificates: Certificates
    limits: Limits
    closed: Closed

    def wrap_bio(self, *args: Any, **options: Any) -> ssl.SSLObject:  # noqa: ANN401 - as the base class has them
        """Return the server's side of a connection. The event loops, asyncio's and uvloop's, call it for each."""
        connection = cast("_Connection", self.certificates.current.wrap_bio(*args, **options))
        # Why a bit earlier: at its timeout the event loop drops the connection, and tells nothing.
        delay = max(self.limits.handshake_timeout - _EARLIER, 0)
        asyncio.get_running_loop().call_later(delay, self._report_if_pending, weakref.ref(connection))
        return connection

    def _report_if_pending(self, reference: "weakref.ref[_Connection]") -> None:
        connection = reference()
        if connection and connection.is_pending:
            self.closed(HANDSHAKE_TIMEOUT)


class _Connection(ssl.SSLObject):
    """The server's side of a connection. Why a class of its own: event loops keep silent about a failed handshake."""

    is_pending = True

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except ssl.SSLWantReadError:
            raise
        except ssl.SSLError as error:
            self.is_pending = False
            cast("_Context", self.context).closed(_reason(error))
            raise
        self.is_pending = False


def _reason(error: ssl.SSLError) -> str:
    is_of_client = isinstance(error, ssl.SSLCertVerificationError) or error.reason == _NO_CLIENT_CERTIFICATE
    return CLIENT_CERTIFICATE if is_of_client else HANDSHAKE


def _ignore(_: str) -> None:
    pass


class _Context(ssl.SSLContext):
    """The context of one certificate."""

    sslobject_class = _Connection
    closed: Closed = staticmethod(_ignore)


class _InUse(NamedTuple):
    context: ssl.SSLContext
    expiry: int


def _load(cert: Path, key: Path, client_ca: Path | None, closed: Closed) -> _InUse:
    """Return what the files are for; raise CannotLoad."""
    for path in (cert, key):
        read(path)  # Why here: OpenSSL does not say which file it can't read
    context = _Context(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(cert, key, password=b"")  # without a password, OpenSSL would ask for it on the terminal
        expiry = _expiry(cert, context)
    except (OSError, ValueError) as error:
        message = f"can't use the certificate {cert} with the key {key}: {_words(error)}"
        raise CannotLoad(message) from error
    if client_ca:
        _require_client_certificates(context, client_ca)
    context.closed = closed
    return _InUse(context, expiry)


def _require_client_certificates(context: ssl.SSLContext, client_ca: Path) -> None:
    read(client_ca)
    context.verify_mode = ssl.CERT_REQUIRED
    # Why here: a resumed session is not asked for a certificate again, which may have expired meanwhile.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET
    try:
        context.load_verify_locations(client_ca)
    except OSError as error:
        message = f"can't use the CA certificates in {client_ca}: {_words(error)}"
        raise CannotLoad(message) from error


def _words(error: Exception) -> str:
    """Return the reason that OpenSSL gives, such as "key values mismatch"."""
    reason = error.reason if isinstance(error, ssl.SSLError) else None
    return (reason or "not accepted").lower().replace("_", " ")


def _expiry(cert: Path, context: ssl.SSLContext) -> int:
    """Return the time when the certificate in the file *cert* expires; raise OSError or ValueError.

    Why by a handshake with ourselves: the standard library shows only certificates that a peer has sent, after checking
    them. A certificate that no client could accept is thereby found, too.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(cert)
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN | _NO_CHECK_TIME
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = context.wrap_bio(to_server, to_client, server_side=True)
    theirs = client.wrap_bio(to_client, to_server)
    for side in (theirs, ours, theirs):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return ssl.cert_time_to_seconds(str((theirs.getpeercert() or {})["notAfter"]))
