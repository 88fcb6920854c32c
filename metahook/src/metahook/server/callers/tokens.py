"""Bearer tokens: who may call, by the header ``Authorization: Bearer TOKEN``."""

import hashlib
import hmac
import logging
import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.callers.watched_files import CannotLoad, Loaded, cannot_read, read
from metahook.server.refusal import UNAUTHORIZED, Refusal

_EXAMPLE = "such as one from: openssl rand -hex 32"
_ADD = f"add one with a token, {_EXAMPLE}"
_CREATE = f"create it with a token, {_EXAMPLE}"
_WRITE = f"write a token into it, {_EXAMPLE}"

_TOKEN = re.compile(rb"[!-~]+")

log = logging.getLogger(__name__)


class Tokens:
    """The valid tokens: in *path*, a file with one, or a directory of such files, as of a mounted Secret.

    A token is valid until its file is gone. If none is left, or *path* is gone, every call is refused: to remove its
    file is how to revoke a token, also the last one. Raise CannotLoad.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digests = Loaded("tokens", self._files, self._load)
        if not self._digests.value:
            message = f"{path} {self._cause()}"
            raise CannotLoad(message)

    def accept(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Tell whether *headers*, with names in lower case, have one valid token, and nothing else for it.

        It takes the same time for each token of the same length, whatever is right in it.
        """
        given = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        digest = hashlib.sha256(token).digest()
        matches = [hmac.compare_digest(digest, valid) for valid in self._digests.value]
        return any(matches) and scheme.lower() == b"bearer"

    def reload(self) -> None:
        """Read the files again if they have changed."""
        if self._digests.reload() and not self._digests.value:
            log.error("every call is refused: %s %s", self._path, self._cause())

    def _cause(self) -> str:
        """Return why there is no token."""
        return f"has no files; {_ADD}" if self._path.exists() else f"does not exist; {_CREATE}"

    def _files(self) -> list[Path]:
        """Return the files with tokens. Hidden ones are Kubernetes' own, in a mounted Secret."""
        try:
            mode = self._path.stat().st_mode
        except FileNotFoundError:
            return []
        if not stat.S_ISDIR(mode):
            return [self._path]
        return sorted(path for path in self._path.iterdir() if not path.name.startswith("."))

    def _load(self) -> frozenset[bytes]:
        """Return a digest of each token. All digests have one length, and memory holds no token."""
        try:
            files = self._files()
        except OSError as error:
            raise cannot_read(self._path, error) from error
        return frozenset(hashlib.sha256(read_token(path)).digest() for path in files)


def read_token(path: Path) -> bytes:
    """Return the token in the file at *path*, without the space around it; raise CannotLoad."""
    token = read(path).strip()
    if not token:
        message = f"{path} is empty; {_WRITE}"
        raise CannotLoad(message)
    if not _TOKEN.fullmatch(token):
        message = f"{path} has spaces, line breaks or characters that are not ASCII; write one token into each file"
        raise CannotLoad(message)
    return token


def _respond(refusal: Refusal, _: str) -> ASGIApp:
    return refusal.response("")


@dataclass(frozen=True)
class TokenCheck:
    """Middleware: refuses requests without a valid token, whatever their path, before their bodies are read.

    *refuse* returns the response of a refusal to a request for a path.
    """

    app: ASGIApp
    tokens: Tokens
    refuse: Callable[[Refusal, str], ASGIApp] = _respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        is_accepted = scope["type"] == "lifespan" or self.tokens.accept(scope["headers"])
        await (self.app if is_accepted else self.refuse(UNAUTHORIZED, scope["path"]))(scope, receive, send)
