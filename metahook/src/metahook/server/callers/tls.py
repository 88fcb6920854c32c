"""TLS: the certificate of the server, and the certificates that clients need.

When the files change, new connections use the new certificates and CAs. Established connections stay open.
"""

import ssl
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from metahook.server.callers.pem import check_certificate, check_key
from metahook.server.callers.watched_files import CannotLoad, Loaded

HANDSHAKE = "handshake"
"""Why a connection is closed: it has no TLS 1.2 or later, or the client does not trust the server's certificate."""

CLIENT_CERTIFICATE = "client_certificate"
"""Why a connection is closed: the client has no certificate, or none that is valid."""

HANDSHAKE_TIMEOUT = "handshake_timeout"
"""Why a connection is closed: the handshake took longer than this limit."""

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
        self._loaded = Loaded("certificate", lambda: files, lambda: _load(cert, key, client_ca))

    @property
    def expiry(self) -> int:
        """The time, in seconds since 1970, when the certificate in use expires."""
        return self._loaded.value.expiry

    @property
    def current(self) -> ssl.SSLContext:
        """The context for a connection that begins now.

        Each change makes a new one, rather than new files in the old one: a CA can't be taken out of a context, and
        the sessions of its clients could be resumed.
        """
        return self._loaded.value.context

    def reload(self) -> bool:
        """Read the files again if they have changed; return whether they are in use."""
        return self._loaded.reload()


def why_refused(error: ssl.SSLError) -> str:
    """Return why the connection is closed whose handshake has failed with *error*."""
    is_of_client = isinstance(error, ssl.SSLCertVerificationError) or error.reason == _NO_CLIENT_CERTIFICATE
    return CLIENT_CERTIFICATE if is_of_client else HANDSHAKE


class _InUse(NamedTuple):
    context: ssl.SSLContext
    expiry: int


def _load(cert: Path, key: Path, client_ca: Path | None) -> _InUse:
    """Return what the files are for; raise CannotLoad."""
    check_certificate(cert)
    check_key(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(cert, key, password=b"")  # without a password, OpenSSL would ask for it on the terminal
        expiry = _expiry(cert, context)
    except (OSError, ValueError) as error:
        message = f"can't use the certificate {cert} with the key {key}: {_words(error)}"
        raise CannotLoad(message) from error
    if client_ca:
        _require_client_certificates(context, client_ca)
    return _InUse(context, expiry)


def _require_client_certificates(context: ssl.SSLContext, client_ca: Path) -> None:
    check_certificate(client_ca)
    context.verify_mode = ssl.CERT_REQUIRED
    # A resumed session is not asked for a certificate again, which may have expired meanwhile.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET
    try:
        context.load_verify_locations(client_ca)
    except OSError as error:
        message = f"can't use the CA certificates in {client_ca}: {_words(error)}"
        raise CannotLoad(message) from error


def _words(error: Exception) -> str:
    """Return the reason in our words, or else that of OpenSSL, such as "ee key too small"."""
    reason = error.reason if isinstance(error, ssl.SSLError) else None
    if reason in {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"}:
        return "the key belongs to another certificate; give the two that were issued together"
    return (reason or "not accepted").lower().replace("_", " ")


def _expiry(cert: Path, context: ssl.SSLContext) -> int:
    """Return the time when the certificate in the file *cert* expires; raise OSError or ValueError.

    It takes a handshake with itself, because the standard library shows only certificates that a peer has sent, after
    checking them. A certificate that no client could accept is thereby found, too.
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
