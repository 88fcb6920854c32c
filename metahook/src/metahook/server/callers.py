"""Who may call: clients with a certificate or a token, in files that are read again when they change.

Whoever is refused learns nothing but how to be accepted. A file that can't be used changes nothing: what was read
before stays in use, and the log and a metric say so. But a token or a CA whose file is gone lets nobody in. A call
looks at the files first, at most every five seconds: Kubernetes replaces a mounted Secret by swapping a symbolic link.
"""

import hashlib
import hmac
import logging
import re
import ssl
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.refusals import FORBIDDEN, NOT_OURS, UNAUTHORIZED, Refusal
from metahook.server.telemetry import Telemetry, path_of

POLL = 5.0
"""Seconds between two looks at the files."""

log = logging.getLogger(__name__)


class CannotLoad(ValueError):
    """Raised for a file that can't be used. Its text says which, and why, and has nothing of its content."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


# Files


class Watched(ABC):
    """What is made of files, and made again when they change."""

    def __init__(self) -> None:
        self._problems: list[str] = []
        self._next_look = monotonic() + POLL

    def count_unusable(self) -> int:
        """Look at the files, and return how many have changed and can't be used."""
        self.refresh()
        return len(self._problems)

    def refresh(self) -> None:
        """Look at the files, unless that is not long ago."""
        now = monotonic()
        if now < self._next_look:
            return
        self._next_look = now + POLL
        try:
            problems = self._reload()
        except OSError as error:
            problems = [f"can't look at files: {_reason_of(error)}; still using the previous ones"]
        for problem in problems:
            if problem not in self._problems:
                log.error(problem)
        self._problems = problems

    @abstractmethod
    def _reload(self) -> list[str]:
        """Read the files again if they have changed; return what is wrong with them."""


def _read(path: Path) -> bytes:
    """Return the content of the file at *path*; raise CannotLoad. Pipes and devices could block, and are not opened."""
    try:
        if path.exists() and not path.is_file():
            raise CannotLoad(path, f"can't read {path}: it is not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error


def cannot_read(path: Path, error: OSError) -> CannotLoad:
    """Return what to raise for *error* at *path*."""
    return CannotLoad(path, f"can't read {path}: {_reason_of(error)}")


def _reason_of(error: Exception) -> str:
    """Return what the system or OpenSSL says about *error*, such as "ee key too small", or else its type."""
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
    return str(reason).lower().replace("_", " ")


# Tokens

_EXAMPLE = "such as one from: openssl rand -hex 32"
MIN_LENGTH = 16
"""Characters of a token that can't be guessed, if it is random."""


class Tokens(Watched):
    """The valid tokens: in *path*, a file with one, or a directory of such files, as of a mounted Secret.

    A token is valid until its file is gone, whatever the others are like. If none is left, or *path* is gone, every
    call is refused: delete a token's file to revoke it, even the last one. Raise CannotLoad.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        try:
            tokens = {file: parse_token(file, _read(file)) for file in self._files()}
        except OSError as error:
            raise cannot_read(path, error) from error
        for file, token in tokens.items():
            if len(token) < MIN_LENGTH:
                log.warning("the token in %s can be guessed: replace it with a longer one, %s", file, _EXAMPLE)
        self._digests = {file: hashlib.sha256(token).digest() for file, token in tokens.items()}
        if not self._digests:
            raise CannotLoad(path, self._none_left())

    def accept(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Tell whether *headers*, with names in lower case, have one valid token, and nothing else for it.

        It takes the same time for each token of the same length, whatever is right in it.
        """
        self.refresh()
        values = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = values[0].partition(b" ") if len(values) == 1 else (b"", b"", b"")
        digest = hashlib.sha256(token).digest()  # all have one length, and memory holds no token
        matches = [hmac.compare_digest(digest, known) for known in self._digests.values()]
        return any(matches) and scheme.lower() == b"bearer"

    def _reload(self) -> list[str]:
        digests, problems = dict[Path, bytes](), list[str]()
        for file in self._files():
            try:
                digests[file] = hashlib.sha256(parse_token(file, _read(file))).digest()
            except CannotLoad as error:
                problems.append(f"{error}; other tokens are still valid")
                if file in self._digests and file.is_file():
                    digests[file] = self._digests[file]
        if digests != self._digests:
            log.info("the valid tokens have changed: there are %s", len(digests))
            self._digests = digests
        return problems if digests else [*problems, f"every call is refused: {self._none_left()}"]

    def _none_left(self) -> str:
        if self._path.exists():
            return f"{self._path} has no files; add one with a token, {_EXAMPLE}"
        return f"{self._path} does not exist; create it with a token, {_EXAMPLE}"

    def _files(self) -> list[Path]:
        """Return the files with tokens. Hidden ones are Kubernetes' own, in a mounted Secret."""
        if self._path.is_dir():
            return sorted(path for path in self._path.iterdir() if not path.name.startswith("."))
        return [self._path] if self._path.exists() else []


def parse_token(path: Path, content: bytes) -> bytes:
    """Return the token in the *content* of the file at *path*, without the space around it; raise CannotLoad."""
    token = content.strip()
    if not token:
        raise CannotLoad(path, f"{path} is empty; write a token into it, {_EXAMPLE}")
    if not re.fullmatch(rb"[!-~]+", token):
        message = f"{path} has spaces, line breaks or characters that are not ASCII; write one token into each file"
        raise CannotLoad(path, message)
    return token


# Certificates

HANDSHAKE = "handshake"
"""Why a connection is closed: it is not TLS 1.3, or the client does not trust the server."""

CLIENT_CERTIFICATE = "client_certificate"
"""Why a connection is closed: the client has no certificate, or none that is valid."""


class Certificates(Watched):
    """The certificate and its key, in PEM files. With *client_ca*, clients need a certificate of a CA in that file.

    With *client_names*, requests of clients whose certificate has none of them are refused. Connections that are open
    stay so when the files change. Raise CannotLoad.
    """

    def __init__(
        self, cert: Path, key: Path, client_ca: Path | None = None, *, client_names: Collection[str] = ()
    ) -> None:
        super().__init__()
        self.client_names = frozenset(client_names)
        self.on_refused: Callable[[str], object] = lambda _: None
        """It is called with the reason of each handshake that fails."""
        self._cert, self._key, self._client_ca = cert, key, client_ca
        self._states = self._look()  # before the files are read, so that the first look sees a change in between
        self.current = self._load(client_ca)
        """For a connection that begins now. It is a new one after each change, rather than new files in the old one:
        a CA can't be taken out of a context, and the sessions of its clients could be resumed."""

    def ssl_context(self) -> ssl.SSLContext:
        """Return a context for a server, of which a connection gets what is current when it begins."""
        context = _Latest(ssl.PROTOCOL_TLS_SERVER)
        context.certificates = self
        return context

    def _look(self) -> list[object]:
        """Return what is different once the files have changed."""
        return [_state(path) for path in (self._cert, self._key, self._client_ca) if path]

    def _reload(self) -> list[str]:
        states = self._look()
        is_gone = bool(self._client_ca and not self._client_ca.exists())
        try:
            if states != self._states:
                self.current = self._load(None if is_gone else self._client_ca)
                self._states = states
                log.info("now using the new certificates")
        except CannotLoad as error:
            return [f"{error}; still using the previous certificates"]
        return [f"every client is refused: {self._client_ca} does not exist; create it"] if is_gone else []

    def _load(self, client_ca: Path | None) -> ssl.SSLContext:
        """Return the context of what is in the files; without the CA of clients, it accepts none; raise CannotLoad."""
        context = _Context(ssl.PROTOCOL_TLS_SERVER)
        context.certificates = self
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        _load_pair(context, self._cert, self._key)
        if self._client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            # A CA may be given without the one that has signed it.
            context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
            context.num_tickets = 0  # a resumed session is not asked for a certificate again
        if client_ca:
            _check_certificates(client_ca)
            try:
                context.load_verify_locations(client_ca)
            except OSError as error:
                message = f"can't use the CA certificates in {client_ca}: {_reason_of(error)}"
                raise CannotLoad(client_ca, message) from error
        return context


def _state(path: Path) -> object:
    """Return what changes with the file; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class _ServerSide(ssl.SSLObject):
    """The server's side of a connection, which tells why a handshake fails."""

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            missing = error.reason == "PEER_DID_NOT_RETURN_A_CERTIFICATE"
            is_of_client = isinstance(error, ssl.SSLCertVerificationError) or missing
            context: Any = self.context
            context.certificates.on_refused(CLIENT_CERTIFICATE if is_of_client else HANDSHAKE)
            raise


class _Context(ssl.SSLContext):
    """The context of what was in the files."""

    certificates: Certificates
    sslobject_class = _ServerSide


class _Latest(_Context):
    """Stands for the context of what is in the files when a connection begins."""

    def wrap_bio(self, *args: Any, **options: Any) -> ssl.SSLObject:  # noqa: ANN401 - those of the standard library
        self.certificates.refresh()
        return self.certificates.current.wrap_bio(*args, **options)


def names_of(tls: ssl.SSLObject) -> frozenset[str]:
    """Return the names in the certificate of the client: the alternative names, or else the common name."""
    peer: Any = tls.getpeercert() or {}
    names = {value for _, value in peer.get("subjectAltName", ())}
    common = {value for part in peer.get("subject", ()) for name, value in part if name == "commonName"}
    return frozenset(names or common)


def _load_pair(context: ssl.SSLContext, cert: Path, key: Path) -> None:
    _check_certificates(cert)
    content = _read(key)
    if not re.search(rb"-----BEGIN ([A-Z]+ )?PRIVATE KEY-----", content):
        message = f"{key} has no key in PEM format: write one that begins with -----BEGIN PRIVATE KEY----- into it"
        raise CannotLoad(key, message)
    if b"ENCRYPTED" in content:
        message = f"can't use {key}: the key is encrypted; remove its passphrase, as with: openssl pkey -in {key}"
        raise CannotLoad(key, message)
    try:
        context.load_cert_chain(cert, key, password=b"")  # without a password, OpenSSL would ask for one
    except OSError as error:
        is_mismatch = isinstance(error, ssl.SSLError) and error.reason in {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"}
        words = "the key belongs to another certificate; give the two that were issued together"
        reason = words if is_mismatch else _reason_of(error)
        raise CannotLoad(cert, f"can't use the certificate {cert} with the key {key}: {reason}") from error


def _check_certificates(path: Path) -> None:
    """Raise CannotLoad if the file at *path* has no certificate, of which OpenSSL would not tell the path."""
    if not re.search(rb"-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----", _read(path)):
        begin = "-----BEGIN CERTIFICATE-----"
        raise CannotLoad(path, f"{path} has no certificate in PEM format: write one that begins with {begin} into it")


# The check of requests

CLIENT_NAMES = "client_names"
"""The key of the names in the client's certificate in the ``state`` of an ASGI scope. Our server sets it, with TLS."""


class CallerCheck:
    """Middleware: refuses requests of unknown callers, whatever their path, before their bodies are read.

    With *certificates*, it refuses all requests under a server that does not use them, and would look protected.
    """

    def __init__(
        self,
        app: ASGIApp,
        tokens: Tokens | None,
        certificates: Certificates | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._app, self._tokens, self._certificates = app, tokens, certificates
        self._telemetry = telemetry or Telemetry()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        app = self._app
        if scope["type"] != "lifespan" and (refusal := self._refusal(scope)):
            request = Request(scope) if scope["type"] == "http" else None
            app = refusal.response(self._telemetry.refused(refusal, path_of(scope)), request)
        await app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        if self._certificates:
            names, accepted = scope.get("state", {}).get(CLIENT_NAMES), self._certificates.client_names
            if names is None:
                return NOT_OURS
            if accepted and accepted.isdisjoint(names):
                return FORBIDDEN
        return UNAUTHORIZED if self._tokens and not self._tokens.accept(scope["headers"]) else None
