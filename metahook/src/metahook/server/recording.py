"""Recording: writes requests and their responses to files, one file each, to replay them.

It never delays a response: a request is written after its response was sent, in a thread of its own, and what can't be
written is left out. What users wrote in their specs is in the files, so only their owner may read them.
"""

import asyncio
import itertools
import logging
import os
import re
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from metahook.protocol import Body
from metahook.protocol.wire import MIB
from metahook.server.redaction import redacted, redacted_response

MOST_WAITING = 16 * MIB
"""Bytes of requests and responses that wait to be written. More are left out: slow disks and clients cost no memory."""

_LONGEST = 63
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]")

log = logging.getLogger(__name__)


class CannotRecord(Exception):
    """Raised when a folder can't be recorded in. Its text says which, and why."""


@dataclass(frozen=True)
class Exchange:
    """A request and its response; *at* is the time that the hook was given."""

    path: str
    at: datetime
    status: int
    request: Body
    response: bytes

    @property
    def size(self) -> int:
        """Bytes of memory that it takes."""
        return len(self.request) + len(self.response)


class Recorder:
    """Writes exchanges into a folder until it holds *most* bytes, whoever wrote them.

    *version* is the hook's: each file names it.
    """

    def __init__(self, folder: Path, most: int, version: str) -> None:
        self._folder = folder
        self._most = most
        self._version = version
        self._used = _opened(folder)
        self._numbers = itertools.count(1)
        self._thread = ThreadPoolExecutor(1, "recording")
        self._waiting = 0
        self._lock = threading.Lock()
        self._stopped = False
        self._logged: set[str] = set()

    def announce(self) -> None:
        """Log that requests are recorded, and where."""
        warning = "recording requests in %s: they contain users' data; keep them private"
        log.warning(warning, self._folder)

    def admit(self, exchange: Exchange) -> bool:
        """Reserve memory for *exchange* until it is written; tell whether there is enough. Any thread may call this."""
        if self._stopped:
            return False
        with self._lock:
            is_admitted = self._waiting + exchange.size <= MOST_WAITING
            self._waiting += exchange.size if is_admitted else 0
        if not is_admitted:
            most = MOST_WAITING // MIB
            self._log_once(f"some requests are not recorded: writing is too slow for them, or they are over {most} MiB")
        return is_admitted

    async def write(self, exchange: Exchange) -> None:
        """Write *exchange*, which was admitted, and give its memory back."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write_and_release, exchange)

    def _write_and_release(self, exchange: Exchange) -> None:
        try:
            self._write(exchange)
        finally:
            with self._lock:
                self._waiting -= exchange.size

    def _write(self, exchange: Exchange) -> None:
        try:
            text, name = _recorded(exchange, next(self._numbers), self._version)
            self._stopped = self._stopped or self._used + len(text) > self._most
            if self._stopped:
                remedy = "empty the directory and restart the hook to continue"
                self._log_once(f"the directory is at its limit, so recording has stopped; {remedy}")
                return
            _save(self._folder / name, text)
            self._used += len(text)
        except OSError as error:
            self._log_once(f"a request could not be recorded: {(error.strerror or 'no reason given').lower()}")
        except Exception as error:  # noqa: BLE001 - the response was sent; nothing here may do harm
            self._log_once(f"a request could not be recorded: {type(error).__name__}")

    def _log_once(self, message: str) -> None:
        """Log *message* at its first call: a disk that is full is full for every request."""
        if message not in self._logged:
            self._logged.add(message)
            log.error("%s (logged only once)", message)


class RecordedResponse(Response):
    """A response whose exchange, which was admitted, is written after it was sent."""

    def __init__(self, response: Response, recorder: Recorder, exchange: Exchange) -> None:
        super().__init__(response.body, response.status_code, media_type="application/json")
        self._recorder = recorder
        self._exchange = exchange

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, and write the exchange."""
        try:
            await super().__call__(scope, receive, send)
        finally:  # also if the client is gone: what was admitted holds memory until it is written
            await self._recorder.write(self._exchange)


def _opened(folder: Path) -> int:
    """Return how many bytes *folder* holds, after making it if need be; raise CannotRecord."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
            probe.flush()
        with os.scandir(folder) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except OSError as error:
        message = f"can't record in {folder}: {(error.strerror or 'no directory').lower()}"
        raise CannotRecord(message) from error


def _recorded(exchange: Exchange, number: int, version: str) -> tuple[bytes, str]:
    """Return the text of the file of *exchange*, and its name."""
    request: Any = msgspec.json.decode(exchange.request)
    entry = {
        "version": version,
        "path": exchange.path,
        "time": exchange.at.isoformat(),
        "status": exchange.status,
        "request": redacted(request),
        "response": redacted_response(msgspec.json.decode(exchange.response)),
    }
    metadata = request["parent"]["metadata"]
    words = (exchange.path.strip("/"), metadata.get("namespace"), metadata["name"])
    moment = exchange.at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    name = "-".join((moment, f"{number:06}", *(_safe(word) for word in words)))
    return msgspec.json.encode(entry) + b"\n", f"{name}.json"


def _safe(word: object) -> str:
    """Return *word*, which a user chose, as a part of a file's name."""
    return _UNSAFE.sub("_", str(word))[:_LONGEST]


def _save(file: Path, text: bytes) -> None:
    """Write *file* at once: a reader never sees half of one."""
    unfinished = file.with_name(f".{file.name}")
    try:
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as opened:
            opened.write(text)
        unfinished.rename(file)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise
