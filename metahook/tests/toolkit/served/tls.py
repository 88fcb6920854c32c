"""Certificates for a hook and its callers, and what callers see while they are replaced."""

import socket
import ssl
import threading
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path

import trustme

from metahook.server import Certificates
from metahook.server.callers import MinVersion
from toolkit.hooks.minimal import sync_body
from toolkit.served.asgi import JSON
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

    def certificates(
        self, *, client_ca: bool = True, names: Collection[str] = (), min_version: MinVersion = "1.3"
    ) -> Certificates:
        """Return what the hook makes of the files."""
        client_cas = self.client_ca if client_ca else None
        return Certificates(self.cert, self.key, client_cas, client_names=names, min_version=min_version)

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


def post(address: tuple[str, int], context: ssl.SSLContext | None, headers: Mapping[str, str] = JSON) -> int:
    """Send a request to the hook over a connection of its own; return the status code."""
    with closing(connection(address, context)) as opened:
        return post_on(opened, headers)


def connection(address: tuple[str, int], context: ssl.SSLContext | None) -> HTTPConnection:
    if context:
        return HTTPSConnection(*address, timeout=10, context=context)
    return HTTPConnection(*address, timeout=10)


def post_on(opened: HTTPConnection, headers: Mapping[str, str] = JSON, body: bytes | None = None) -> int:
    """Send a request over a connection that stays open."""
    opened.request("POST", "/sync", body or sync_body(), {**headers})
    response = opened.getresponse()
    response.read()
    return response.status


@dataclass(frozen=True)
class Rotations:
    """What callers saw while certificates were replaced."""

    requests: int
    failures: list[str]
    certificates: int
    """How many different certificates the hook had."""


def rotate_under_load(pki: Pki, address: tuple[str, int], rotations: int, body: bytes | None = None) -> Rotations:
    """Replace the certificate of a hook that serves that of *pki*, while two callers send *body*.

    Every second request has a connection of its own, the others share one.
    """
    done, seen, answers = threading.Event(), set[bytes](), Counter[str]()
    context = pki.client(pki.ca.issue_cert("metacontroller@example.com"))

    def send() -> None:
        with closing(connection(address, context)) as pooled:
            while not done.is_set():
                answers.update([_answer(pooled, body)])
                with closing(connection(address, context)) as single:
                    answers.update([_answer(single, body)])

    threads = [threading.Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(rotations):
            cert = served_certificate(address, context)
            seen.add(cert)
            pki.issue()
            eventually(partial(_is_replaced, address, context, cert))
    finally:
        done.set()
        for thread in threads:
            thread.join(10)
    failures = sorted(answer for answer in answers if answer != "200")
    return Rotations(answers.total(), failures, len(seen | {served_certificate(address, context)}))


def _answer(opened: HTTPConnection, body: bytes | None) -> str:
    try:
        return str(post_on(opened, body=body))
    except (OSError, HTTPException) as error:
        return repr(error)


def _is_replaced(address: tuple[str, int], context: ssl.SSLContext, cert: bytes) -> bool:
    return served_certificate(address, context) != cert


def served_certificate(address: tuple[str, int], context: ssl.SSLContext) -> bytes:
    """Return the certificate that the hook has for a new connection."""
    with (
        socket.create_connection(address, timeout=10) as raw,
        context.wrap_socket(raw, server_hostname="127.0.0.1") as tls,
    ):
        return tls.getpeercert(binary_form=True) or b""
