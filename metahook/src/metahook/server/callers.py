"""Who may call: clients with a certificate or a token, in files that are read again when they change.

Whoever is refused learns nothing but how to be accepted. A file that can't be used changes nothing: what was read
before stays in use, and the log and a metric say so. But a token or a CA whose file is gone lets nobody in. The files
are polled: Kubernetes replaces a mounted Secret by swapping a symbolic link, and a few seconds do no harm.
"""

import asyncio
import hashlib
import hmac
import logging
import os
import re
import ssl
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.protocol.bodies import MIB
from metahook.server.refusals import FORBIDDEN, NOT_OURS, UNAUTHORIZED, Refusal
from metahook.server.telemetry import Telemetry

POLL = 5.0
"""Seconds between two looks at the files."""

MAX_SIZE = MIB
"""Bytes of a file. The CA certificates of a whole operating system are a fifth of it."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class CannotLoad(ValueError):
    """Raised for files that can't be used. Its text says which, and why, and has nothing of their content."""


# Files


class Watched(Generic[T]):
    """The *value* that *load* makes of *files*, of what they are for by *name*; raise CannotLoad, as *load* does."""

    def __init__(self, name: str, files: Sequence[Path], load: Callable[[], T]) -> None:
        self._name, self._files, self._load = name, files, load
        self._states = self._look()  # before the files are read, so that the first look sees a change in between
        self.problem = ""
        """Why the files, which have changed, can't be used."""
        self.value = load()

    def reload(self) -> bool:
        """Load the files again if they have changed; return whether the value is new."""
        states = self._look()
        if states == self._states:
            self.problem = ""
            return False
        try:
            self.value = self._load()
        except (CannotLoad, OSError) as error:  # it is tried again, because the files need not be the cause
            if self.problem != str(error):
                log.error("%s; still using the previous %s", error, self._name)  # noqa: TRY400 - it says all
            self.problem = str(error)
            return False
        log.info("now using the new %s", self._name)
        self._states, self.problem = states, ""
        return True

    def _look(self) -> list[object]:
        return [_state(path) for path in self._files]


def _state(path: Path) -> object:
    """Return what changes with the file: its path without links, its inode, length and time; None if it is gone."""
    try:
        resolved = path.resolve(strict=True)
        found = resolved.stat()
    except (OSError, RuntimeError):  # a loop of links is a RuntimeError before Python 3.13
        return None
    return str(resolved), found.st_ino, found.st_size, found.st_mtime_ns


def _read(path: Path) -> bytes:
    """Return the content of the file at *path*; raise CannotLoad. Pipes and devices could block, and are not opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            message = f"can't read {path}: it is not a regular file"
            raise CannotLoad(message)
        with path.open("rb") as file:
            content = file.read(MAX_SIZE + 1)
    except OSError as error:
        raise cannot_read(path, error) from error
    if len(content) > MAX_SIZE:
        message = f"can't use {path}: it is larger than 1 MiB"
        raise CannotLoad(message)
    return content


def _is_gone(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def cannot_read(path: Path, error: OSError) -> CannotLoad:
    """Return what to raise for *error* at *path*."""
    return CannotLoad(f"can't read {path}: {_reason_of(error)}")


def _reason_of(error: Exception) -> str:
    """Return what the system or OpenSSL says about *error*, such as "ee key too small", or else its type."""
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
    return str(reason).lower().replace("_", " ")


class Reloaded(Protocol):
    """What is made of files."""

    @property
    def unusable(self) -> int:
        """How many of the files have changed, and can't be used."""

    def reload(self) -> object:
        """Read the files again if they have changed."""


@asynccontextmanager
async def reloading(*items: Reloaded | None, every: float = POLL) -> AsyncIterator[None]:
    """Reload *items* every so many seconds until the block ends. None is nothing to reload."""

    async def poll() -> None:
        while True:
            await asyncio.sleep(every)
            for item in filter(None, items):
                try:
                    item.reload()
                except Exception:  # the next look may find what can be read
                    log.exception("can't look at files")

    polling = asyncio.create_task(poll())
    try:
        yield
    finally:
        polling.cancel()


# Tokens

_EXAMPLE = "such as one from: openssl rand -hex 32"
MIN_LENGTH = 16
"""Characters of a token that can't be guessed, if it is random."""


class Tokens:
    """The valid tokens: in *path*, a file with one, or a directory of such files, as of a mounted Secret.

    A token is valid until its file is gone, whatever the others are like. If none is left, or *path* is gone, every
    call is refused: delete a token's file to revoke it, even the last one. Raise CannotLoad.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: dict[Path, str] = {}
        """What is wrong with files that had no token before, or with the directory."""
        try:
            self._digests = {file: _digest_in(file) for file in self._files()}
        except OSError as error:
            raise cannot_read(path, error) from error
        if not self._digests:
            raise CannotLoad(self._none_left())

    @property
    def unusable(self) -> int:
        """How many files can't be used. A directory that can't be read is one."""
        return len(self._problems) + sum(bool(digest.problem) for digest in self._digests.values())

    def accept(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Tell whether *headers*, with names in lower case, have one valid token, and nothing else for it.

        It takes the same time for each token of the same length, whatever is right in it.
        """
        values = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = values[0].partition(b" ") if len(values) == 1 else (b"", b"", b"")
        digest = hashlib.sha256(token).digest()  # all have one length, and memory holds no token
        matches = [hmac.compare_digest(digest, known.value) for known in self._digests.values()]
        return any(matches) and scheme.lower() == b"bearer"

    def reload(self) -> None:
        """Read the files again if they have changed."""
        had_tokens, before = bool(self._digests), self._problems
        try:
            files = self._files()
        except OSError as error:
            self._problems = {self._path: f"{cannot_read(self._path, error)}; still using the previous tokens"}
        else:
            self._problems = {}
            for file in [file for file in self._digests if file not in files or _is_gone(file)]:
                del self._digests[file]
                log.info("the token in %s is no longer valid", file)
            for file in files:
                self._reload(file)
        for file, problem in self._problems.items():
            if before.get(file) != problem:
                log.error(problem)
        if had_tokens and not self._digests:
            log.error("every call is refused: %s", self._none_left())

    def _reload(self, file: Path) -> None:
        if file in self._digests:
            self._digests[file].reload()
            return
        try:
            self._digests[file] = _digest_in(file)
        except CannotLoad as error:
            self._problems[file] = f"{error}; tokens of other files are still valid"
        else:
            log.info("the token in %s is valid from now on", file)

    def _none_left(self) -> str:
        if self._path.exists():
            return f"{self._path} has no files; add one with a token, {_EXAMPLE}"
        return f"{self._path} does not exist; create it with a token, {_EXAMPLE}"

    def _files(self) -> list[Path]:
        """Return the files with tokens. Hidden ones are Kubernetes' own, in a mounted Secret."""
        try:
            is_folder = stat.S_ISDIR(self._path.stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return []
        if not is_folder:
            return [self._path]
        return sorted(path for path in self._path.iterdir() if not path.name.startswith("."))


def _digest_in(file: Path) -> Watched[bytes]:
    """Return the digest of the token in *file*; raise CannotLoad."""

    def load() -> bytes:
        token = parse_token(file, _read(file))
        if len(token) < MIN_LENGTH:
            log.warning("the token in %s can be guessed: replace it with a longer one, %s", file, _EXAMPLE)
        return hashlib.sha256(token).digest()

    return Watched("token", [file], load)


def parse_token(path: Path, content: bytes) -> bytes:
    """Return the token in the *content* of the file at *path*, without the space around it; raise CannotLoad."""
    token = content.strip()
    if not token:
        message = f"{path} is empty; write a token into it, {_EXAMPLE}"
        raise CannotLoad(message)
    if not re.fullmatch(rb"[!-~]+", token):
        message = f"{path} has spaces, line breaks or characters that are not ASCII; write one token into each file"
        raise CannotLoad(message)
    return token


# Certificates

MinVersion = Literal["1.2", "1.3"]

_MIN_VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}

_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Of TLS 1.2: those with forward secrecy that authenticate what they encrypt, as all of TLS 1.3 do."""

HANDSHAKE = "handshake"
"""Why a connection is closed: it has no version of TLS that is accepted, or the client does not trust the server."""

CLIENT_CERTIFICATE = "client_certificate"
"""Why a connection is closed: the client has no certificate, or none that is valid."""

_CERTIFICATE = re.compile(rb"-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----")
_KEY = re.compile(rb"-----BEGIN ([A-Z]+ )?PRIVATE KEY-----")


class Certificates:
    """The certificate and its key, in PEM files. With *client_ca*, clients need a certificate of a CA in that file.

    With *client_names*, requests of clients whose certificate has none of them are refused. *min_version* is that of
    TLS. Connections that are open stay so when the files change. Raise CannotLoad.
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
        self.on_refused: Callable[[str], object] = lambda _: None
        """It is called with the reason of each handshake that fails."""
        self._min_version = _MIN_VERSIONS[min_version]
        self._pair = Watched("certificate", [cert, key], lambda: _load_pair(cert, key))
        self._client_cas = _client_cas(client_ca) if client_ca else None
        self._is_stale = False
        """Whether what is read is not used yet."""
        self.current = self._new_context()
        """For a connection that begins now. It is a new one after each change, rather than new files in the old one:
        a CA can't be taken out of a context, and the sessions of its clients could be resumed."""

    @property
    def unusable(self) -> int:
        """How many have changed and can't be used: the certificate with its key, and the CAs of clients."""
        return sum(bool(part.problem) for part in self._parts()) + self._is_stale

    def reload(self) -> bool:
        """Read the files again if they have changed; return whether new ones are in use."""
        # Each part on its own: a CA that is removed is not kept because of a certificate that can't be used.
        changed = [part.reload() for part in self._parts()]
        self._is_stale = self._is_stale or any(changed)
        if not self._is_stale:
            return False
        self.current = self._new_context()  # if that fails, such as for a file descriptor, the next look tries again
        self._is_stale = False
        return True

    def context(self) -> ssl.SSLContext:
        """Return a context for a server, of which a connection gets what is current when it begins."""
        context = _Changing(ssl.PROTOCOL_TLS_SERVER)
        context.certificates = self
        return context

    def _parts(self) -> "list[Watched[Any]]":
        return [self._pair, self._client_cas] if self._client_cas else [self._pair]

    def _new_context(self) -> ssl.SSLContext:
        context = _Context(ssl.PROTOCOL_TLS_SERVER)
        context.certificates = self
        context.minimum_version = self._min_version
        context.set_ciphers(_CIPHERS)
        _use_pair(context, *self._pair.value)
        if self._client_cas:
            context.verify_mode = ssl.CERT_REQUIRED
            # A CA may be given without the one that has signed it.
            context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
            # A resumed session is not asked for a certificate again.
            context.num_tickets = 0
            context.options |= ssl.OP_NO_TICKET
            if self._client_cas.value:
                context.load_verify_locations(cadata=self._client_cas.value.decode("ascii", "ignore"))
        return context


class _ServerSide(ssl.SSLObject):
    """The server's side of a connection, which tells why a handshake fails."""

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
            self._refuse_resumed()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            missing = error.reason == "PEER_DID_NOT_RETURN_A_CERTIFICATE"
            is_of_client = isinstance(error, ssl.SSLCertVerificationError) or missing
            context: Any = self.context
            context.certificates.on_refused(CLIENT_CERTIFICATE if is_of_client else HANDSHAKE)
            raise

    def _refuse_resumed(self) -> None:
        """Raise SSLError if a session of TLS 1.2 was resumed by a client whose certificate may have expired since."""
        if self.session_reused and self.context.verify_mode is ssl.CERT_REQUIRED:
            message = "a session was resumed without a certificate"
            raise ssl.SSLCertVerificationError(message)


class _Context(ssl.SSLContext):
    """The context of what was in the files."""

    certificates: Certificates
    sslobject_class = _ServerSide


class _Changing(_Context):
    """A context in place of the current one."""

    def wrap_bio(self, *args: Any, **options: Any) -> ssl.SSLObject:  # noqa: ANN401 - those of the standard library
        return self.certificates.current.wrap_bio(*args, **options)


def names_of(tls: ssl.SSLObject) -> frozenset[str]:
    """Return the names in the certificate of the client: the alternative names, or else the common name."""
    peer: Any = tls.getpeercert() or {}
    names = {value for _, value in peer.get("subjectAltName", ())}
    common = {value for part in peer.get("subject", ()) for name, value in part if name == "commonName"}
    return frozenset(names or common)


def _load_pair(cert: Path, key: Path) -> tuple[bytes, bytes]:
    """Return the contents of the files; raise CannotLoad."""
    pair = _read_certificates(cert), _read_key(key)
    try:
        _use_pair(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), *pair)
    except (OSError, ValueError) as error:
        mismatch = isinstance(error, ssl.SSLError) and error.reason in {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"}
        words = "the key belongs to another certificate; give the two that were issued together"
        message = f"can't use the certificate {cert} with the key {key}: {words if mismatch else _reason_of(error)}"
        raise CannotLoad(message) from error
    return pair


def _use_pair(context: ssl.SSLContext, cert: bytes, key: bytes) -> None:
    # OpenSSL reads files, and those that are given may change meanwhile. Without a password, it would ask for one.
    with _as_file(cert + b"\n" + key) as path:
        context.load_cert_chain(path, password=b"")


@contextmanager
def _as_file(content: bytes) -> Iterator[str]:
    # Linux has files in memory: the key is on no disk, and a container's may be read-only.
    with os.fdopen(os.memfd_create("pem"), "w+b") if sys.platform == "linux" else tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        file.seek(0)
        yield f"/dev/fd/{file.fileno()}"


def _client_cas(path: Path) -> Watched[bytes]:
    """Return the CA certificates in the file at *path*, b"" once it is gone; raise CannotLoad."""
    was_loaded = False

    def load() -> bytes:
        nonlocal was_loaded
        if was_loaded and _is_gone(path):
            log.warning("every client is refused: %s does not exist; create it with CA certificates", path)
            return b""
        content = _read_certificates(path)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(cadata=content.decode("ascii", "ignore"))
        except (OSError, ValueError) as error:
            message = f"can't use the CA certificates in {path}: {_reason_of(error)}"
            raise CannotLoad(message) from error
        was_loaded = True
        return content

    return Watched("CA certificates of clients", [path], load)


def _read_certificates(path: Path) -> bytes:
    content = _read(path)
    if not _CERTIFICATE.search(content):
        message = (
            f"{path} has no certificate in PEM format: write one that begins with -----BEGIN CERTIFICATE----- into it"
        )
        raise CannotLoad(message)
    return content


def _read_key(path: Path) -> bytes:
    content = _read(path)
    if not _KEY.search(content):
        message = f"{path} has no key in PEM format: write one that begins with -----BEGIN PRIVATE KEY----- into it"
        raise CannotLoad(message)
    if b"ENCRYPTED" in content:
        message = f"can't use {path}: the key is encrypted; remove its passphrase, as with: openssl pkey -in {path}"
        raise CannotLoad(message)
    return content


# The check of requests

NAMES = "client_names"
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
            app = refusal.response(self._telemetry.refused(refusal, scope["path"]), request)
        await app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        if self._certificates:
            names, accepted = scope.get("state", {}).get(NAMES), self._certificates.client_names
            if names is None:
                return NOT_OURS
            if accepted and accepted.isdisjoint(names):
                return FORBIDDEN
        return UNAUTHORIZED if self._tokens and not self._tokens.accept(scope["headers"]) else None
