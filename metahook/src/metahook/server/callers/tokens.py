"""Bearer tokens: who may call, by the header ``Authorization: Bearer TOKEN``."""

import hashlib
import hmac
import logging
import re
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.callers.watched_files import (
    POLL,
    CannotLoad,
    Loaded,
    cannot_read,
    is_gone,
    is_open_to_others,
    read,
)
from metahook.server.connections.connection import connection_of
from metahook.server.refusal import CHUNKED, UNAUTHORIZED, Refusal, respond_without_id

_EXAMPLE = "such as one from: openssl rand -hex 32"
_ADD = f"add one with a token, {_EXAMPLE}"
_CREATE = f"create it with a token, {_EXAMPLE}"
_WRITE = f"write a token into it, {_EXAMPLE}"

_TOKEN = re.compile(rb"[!-~]+")

MIN_LENGTH = 16
"""Characters of a token that can't be guessed, if it is random."""

log = logging.getLogger(__name__)


class Tokens:
    """The valid tokens: in *path*, a file with one, or a directory of such files, as of a mounted Secret.

    A token is valid until its file is gone, whatever the others are like. If none is left, or *path* is gone, every
    call is refused: delete a token's file to revoke it, even the last one. Raise CannotLoad.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = monotonic() + POLL
        self._loaded: dict[Path, Loaded[_Token]] = {}
        self._failed: dict[Path | None, str] = {}
        """What is wrong with files that had no token before; None is the directory."""
        try:
            self._loaded = {file: _load(file) for file in self._files()}
        except OSError as error:
            raise cannot_read(path, error) from error
        if not self._loaded:
            message = f"{path} {self._cause()}"
            raise CannotLoad(message)

    @property
    def unusable(self) -> int:
        """How many files can't be used. A directory that can't be read is one."""
        return len(self._failed) + sum(loaded.is_unusable for loaded in self._loaded.values())

    def accept(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Tell whether *headers*, with names in lower case, have one valid token, and nothing else for it.

        It takes the same time for each token of the same length, whatever is right in it.
        """
        if monotonic() >= self._next:  # some servers have nothing that polls
            self.reload()
        given = [value for name, value in headers if name == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        digest = hashlib.sha256(token).digest()
        matches = [hmac.compare_digest(digest, loaded.value.digest) for loaded in self._loaded.values()]
        return any(matches) and scheme.lower() == b"bearer"

    def reload(self) -> None:
        """Read the files again if they have changed."""
        self._next = monotonic() + POLL
        had_tokens = bool(self._loaded)
        try:
            files = self._files()
        except OSError as error:
            self._fail(None, f"{cannot_read(self._path, error)}; still using the previous tokens")
            return
        self._revoke({file for file in self._loaded if file not in files or is_gone(file)})
        self._failed = {file: problem for file, problem in self._failed.items() if file in files}
        for file in files:
            if file in self._loaded:
                self._loaded[file].reload()
            else:
                self._add(file)
        if had_tokens and not self._loaded:
            log.error("every call is refused: %s %s", self._path, self._cause())

    def warn(self) -> None:
        """Log the weaknesses of the files that the server starts with. A reload logs those of new files."""
        for loaded in self._loaded.values():
            loaded.warn()

    def _revoke(self, files: Collection[Path]) -> None:
        for file in files:
            del self._loaded[file]
            log.info("the token in %s is not valid any more", file)

    def _add(self, file: Path) -> None:
        try:
            loaded = self._loaded[file] = _load(file)
        except CannotLoad as error:
            self._fail(file, f"{error}; tokens of other files are still valid")
            return
        self._failed.pop(file, None)
        log.info("the token in %s is valid from now on", file)
        loaded.warn()

    def _fail(self, file: Path | None, problem: str) -> None:
        """Log *problem* once."""
        if self._failed.get(file) != problem:
            log.error(problem)
        self._failed[file] = problem

    def _cause(self) -> str:
        """Return why there is no token."""
        return f"has no files; {_ADD}" if self._path.exists() else f"does not exist; {_CREATE}"

    def _files(self) -> list[Path]:
        """Return the files with tokens. Hidden ones are Kubernetes' own, in a mounted Secret."""
        try:
            mode = self._path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return []
        if not stat.S_ISDIR(mode):
            return [self._path]
        return sorted(path for path in self._path.iterdir() if not path.name.startswith("."))


class _Token(NamedTuple):
    digest: bytes
    """All digests have one length, and memory holds no token."""
    weaknesses: list[str]


def _load(file: Path) -> Loaded[_Token]:
    """Return the token in *file*; raise CannotLoad."""

    def load(_: _Token | None) -> _Token:
        token = parse_token(file, read(file))
        is_short, is_open = len(token) < MIN_LENGTH, is_open_to_others(file)
        weaknesses = [
            *([f"the token in {file} can be guessed: replace it by a longer one, {_EXAMPLE}"] if is_short else []),
            *([f"all users can read the token in {file}: run chmod o-r on it"] if is_open else []),
        ]
        return _Token(hashlib.sha256(token).digest(), weaknesses)

    return Loaded("token", [file], load, lambda token: token.weaknesses)


def parse_token(path: Path, content: bytes) -> bytes:
    """Return the token in the *content* of the file at *path*, without the space around it; raise CannotLoad."""
    token = content.strip()
    if not token:
        message = f"{path} is empty; {_WRITE}"
        raise CannotLoad(message)
    if not _TOKEN.fullmatch(token):
        message = f"{path} has spaces, line breaks or characters that are not ASCII; write one token into each file"
        raise CannotLoad(message)
    return token


@dataclass(frozen=True)
class TokenCheck:
    """Middleware: refuses requests without a valid token, whatever their path, before their bodies are read.

    *refuse* returns the response of a refusal to a request for a path. Other servers may have the trailers of a chunked
    body among its headers, with a token that a proxy in front of them did not see: such bodies are refused there.
    """

    app: ASGIApp
    tokens: Tokens
    refuse: Callable[[Refusal, str], ASGIApp] = respond_without_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        is_accepted = scope["type"] == "lifespan" or self.tokens.accept(scope["headers"])
        if is_accepted and connection_of(scope) is None and _is_chunked(scope):
            await self.refuse(CHUNKED, scope["path"])(scope, receive, send)
        else:
            await (self.app if is_accepted else self.refuse(UNAUTHORIZED, scope["path"]))(scope, receive, send)


def _is_chunked(scope: Scope) -> bool:
    return any(name == b"transfer-encoding" for name, _ in scope.get("headers", ()))
