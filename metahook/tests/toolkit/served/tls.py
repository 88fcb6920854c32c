"""Certificates for a hook and its callers, and what callers see while they are replaced."""

import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

import trustme

from metahook.server import Certificates
from toolkit.served.thread import Answer, At, asked, raw, read, sent
from toolkit.waiting import eventually


class Pki:
    """A CA in *folder*, with the files that a hook gets: ``tls.crt``, ``tls.key`` and ``ca.crt``."""

    def __init__(self, folder: Path) -> None:
        self.ca = trustme.CA()
        self.folder = folder
        self.cert, self.key, self.client_ca = (folder / name for name in ("tls.crt", "tls.key", "ca.crt"))
        self.ca.cert_pem.write_to_path(str(self.client_ca))
        self.issue()

    def issue(self) -> trustme.LeafCert:
        """Write a new certificate of the hook, and return it."""
        cert = self.ca.issue_cert("127.0.0.1", "hook.example")
        write_pair(cert, self.cert, self.key)
        return cert

    def certificates(self, *, client_ca: bool = True, names: Collection[str] = ()) -> Certificates:
        """Return what the hook makes of the files."""
        client_cas = self.client_ca if client_ca else None
        return Certificates(self.cert, self.key, client_cas, client_names=names)

    def client(self, cert: trustme.LeafCert | None = None) -> ssl.SSLContext:
        """Return the context of a client that trusts the hook, with its own certificate *cert*."""
        context = ssl.create_default_context(cafile=str(self.client_ca))
        if cert:
            cert.configure_cert(context)
        return context


def write_pair(cert: trustme.LeafCert, cert_file: Path, key_file: Path) -> None:
    cert_file.write_bytes(b"".join(pem.bytes() for pem in cert.cert_chain_pems))
    key_file.touch(0o600)
    key_file.write_bytes(cert.private_key_pem.bytes())


@dataclass(frozen=True)
class Rotations:
    """What callers saw while certificates were replaced."""

    requests: int
    failures: list[str]
    certificates: int
    """How many different certificates the hook had."""


def rotate_under_load(pki: Pki, at: At, rotations: int) -> Rotations:
    """Replace the certificate of a hook that serves that of *pki*, while two callers call it.

    Every second request has a connection of its own, the others share one.
    """
    done, seen, answers = threading.Event(), set[bytes](), Counter[str]()
    context = pki.client(pki.ca.issue_cert("metacontroller@example.com"))

    def send() -> None:
        with sent(at, b"", context) as pooled:
            while not done.is_set():
                answers.update([_status(lambda: _asked_on(pooled)), _status(lambda: asked(at, raw(), context))])

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(rotations):
            cert = served_certificate(at, context)
            seen.add(cert)
            pki.issue()
            eventually(lambda cert=cert: served_certificate(at, context) != cert)  # type: ignore[misc] # a default
    finally:
        done.set()
        for thread in threads:
            thread.join(10)
    failures = sorted(answer for answer in answers if answer != "200")
    return Rotations(answers.total(), failures, len(seen | {served_certificate(at, context)}))


def _asked_on(connection: socket.socket) -> Answer:
    connection.sendall(raw())
    return read(connection)


def _status(ask: Callable[[], Answer]) -> str:
    try:
        return str(ask().status)
    except (OSError, HTTPException) as error:
        return repr(error)


def served_certificate(at: At, context: ssl.SSLContext) -> bytes:
    """Return the certificate that the hook has for a new connection."""
    with sent(at, b"", context) as connection:
        assert isinstance(connection, ssl.SSLSocket)
        return connection.getpeercert(binary_form=True) or b""
