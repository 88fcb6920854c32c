"""PEM files: certificates, keys and CAs, and whether they have what they are given for.

OpenSSL says neither which file it can't use, nor when a certificate expires.
"""

import os
import re
import ssl
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from metahook.server.callers.watched_files import CannotLoad, Loaded, is_gone, is_open_to_others, read, reason_of

_CERTIFICATE = re.compile(rb"-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----")
_KEY = re.compile(rb"-----BEGIN ([A-Z]+ )?PRIVATE KEY-----")


_NO_CHECK_TIME = ssl.VerifyFlags(0x200000)
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL, for which the standard library has no name."""


class Pair(NamedTuple):
    """A certificate with its chain, and its key: the contents of files, and what is in them."""

    cert: bytes
    key: bytes
    begin: int = 0
    expiry: int = 0
    weaknesses: tuple[str, ...] = ()

    def is_valid(self) -> bool:
        """Tell whether the certificate is valid now."""
        return self.begin <= time.time() < self.expiry

    def use_in(self, context: ssl.SSLContext) -> None:
        """Give *context* the certificate; raise OSError or ValueError."""
        with as_file(self.cert) as cert, as_file(self.key) as key:
            context.load_cert_chain(cert, key, password=b"")  # without a password, OpenSSL would ask on the terminal


@contextmanager
def as_file(content: bytes) -> Iterator[str]:
    """Yield the path of a file with *content*: OpenSSL reads files, and those that are given may change meanwhile."""
    with os.fdopen(os.memfd_create("pem"), "w+b") if sys.platform == "linux" else tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield f"/dev/fd/{file.fileno()}"


def load_pair(cert: Path, key: Path, previous: Pair | None) -> Pair:
    """Return what is in the files; raise CannotLoad, also if the certificate is not valid and *previous* still is."""
    pair = Pair(_read_certificates(cert), _read_key(key))
    try:
        pair = _with_times(pair)
    except (OSError, ValueError) as error:
        message = f"can't use the certificate {cert} with the key {key}: {_words(error)}"
        raise CannotLoad(message) from error
    problem = "" if pair.is_valid() else f"the certificate in {cert} has expired, or is not valid yet"
    if problem and previous and previous.is_valid():
        raise CannotLoad(problem)
    open_key = f"all users can read the key in {key}: run chmod o-r on it" if is_open_to_others(key) else ""
    return pair._replace(weaknesses=tuple(filter(None, (problem, open_key))))


def load_client_cas(path: Path, use: Callable[[bytes], object]) -> Loaded[bytes]:
    """Return the CA certificates in the file at *path*, b"" once it is gone, for *use*; raise CannotLoad."""

    def load(previous: bytes | None) -> bytes:
        if previous is not None and is_gone(path):
            return b""
        content = _read_certificates(path)
        try:
            with as_file(content) as file:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(file)
        except OSError as error:
            message = f"can't use the CA certificates in {path}: {_words(error)}"
            raise CannotLoad(message) from error
        return content

    def weaknesses(content: bytes) -> list[str]:
        return [] if content else [f"every client is refused: {path} does not exist; create it with CA certificates"]

    return Loaded("CA certificates of clients", [path], load, weaknesses, use)


def _words(error: Exception) -> str:
    """Return the reason in our words, or else in those of OpenSSL."""
    if isinstance(error, ssl.SSLError) and error.reason in {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"}:
        return "the key belongs to another certificate; give the two that were issued together"
    return reason_of(error)


def _with_times(pair: Pair) -> Pair:
    """Return *pair* with the times between which it is valid; raise OSError or ValueError.

    It takes a handshake with itself, because the standard library shows only certificates that a peer has sent, after
    checking them. A certificate that no client could accept is thereby found, too.
    """
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    pair.use_in(server)
    client.check_hostname = False
    with as_file(pair.cert) as file:
        client.load_verify_locations(file)
    client.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN | _NO_CHECK_TIME
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.wrap_bio(to_server, to_client, server_side=True)
    theirs = client.wrap_bio(to_client, to_server)
    for side in (theirs, ours, theirs):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    shown: Any = theirs.getpeercert() or {}
    begin, expiry = (ssl.cert_time_to_seconds(shown[name]) for name in ("notBefore", "notAfter"))
    return pair._replace(begin=begin, expiry=expiry)


def _read_certificates(path: Path) -> bytes:
    """Return the content of the file at *path*; raise CannotLoad if it has no certificate."""
    content = read(path)
    if not _CERTIFICATE.search(content):
        message = (
            f"{path} has no certificate in PEM format: write one that begins with -----BEGIN CERTIFICATE----- into it"
        )
        raise CannotLoad(message)
    return content


def _read_key(path: Path) -> bytes:
    """Return the content of the file at *path*; raise CannotLoad if it has no key, or an encrypted one."""
    content = read(path)
    if not _KEY.search(content):
        message = f"{path} has no key in PEM format: write one that begins with -----BEGIN PRIVATE KEY----- into it"
        raise CannotLoad(message)
    if b"ENCRYPTED" in content:
        message = f"can't use {path}: the key is encrypted; remove its passphrase, as with: openssl pkey -in {path}"
        raise CannotLoad(message)
    return content
