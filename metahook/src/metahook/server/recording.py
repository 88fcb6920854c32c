"""Recording: keeps requests and what was answered to them, a file each, to replay them.

It is never in the way of an answer: a request is written after its answer was sent, by a thread of its own, and what
can't be written is left out. What users wrote in their specs is in the files, so only their owner may read them.
"""

import asyncio
import itertools
import logging
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from metahook.protocol import Body
from metahook.server.body import MIB
from metahook.server.redaction import redacted, redacted_answer

MOST_WAITING = 16 * MIB
"""Bytes of requests that wait to be written; more are left out, so that a slow disk costs no memory."""

_LONGEST = 63
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]")

log = logging.getLogger(__name__)


class CannotRecord(Exception):
    """Raised when a folder can't be recorded in. Its text says which, and why."""


@dataclass(frozen=True)
class Exchange:
    """A request and its answer; *at* is the time that the answer was decided for."""

    path: str
    at: datetime
    status: int
    request: Body
    response: bytes


class Recorder:
    """Writes exchanges into a folder until it holds *most* bytes, whoever wrote them.

    *version* is the hook's: each file says what answered.
    """

    def __init__(self, folder: Path, most: int, version: str) -> None:
        self._folder = folder
        self._most = most
        self._version = version
        self._used = _opened(folder)
        self._numbers = itertools.count(1)
        self._thread = ThreadPoolExecutor(1, "recording")
        self._waiting = 0
        self._stopped = False
        self._said: set[str] = set()
        log.warning("recording requests in %s: what users wrote in their specs is in them; keep them private", folder)

    async def keep(self, exchange: Exchange) -> None:
        """Write *exchange*, unless too much waits to be written already."""
        size = len(exchange.request) + len(exchange.response)
        if self._stopped:
            return
        if self._waiting + size > MOST_WAITING:
            most = MOST_WAITING // MIB
            self._say(f"some requests are not recorded: writing is too slow for them, or they are over {most} MiB")
            return
        self._waiting += size
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._write, exchange)
        finally:
            self._waiting -= size

    def _write(self, exchange: Exchange) -> None:
        try:
            text, name = _recorded(exchange, next(self._numbers), self._version)
            self._stopped = self._stopped or self._used + len(text) > self._most
            if self._stopped:
                self._say("the folder holds its limit; recording has stopped, until it is emptied and this restarted")
                return
            _save(self._folder / name, text)
            self._used += len(text)
        except OSError as error:
            self._say(f"a request could not be recorded: {(error.strerror or 'no reason given').lower()}")
        except Exception as error:  # noqa: BLE001 - the answer was sent; nothing here may do harm
            self._say(f"a request could not be recorded: {type(error).__name__}")

    def _say(self, words: str) -> None:
        """Log *words*, once: a disk that is full is full for every request."""
        if words not in self._said:
            self._said.add(words)
            log.error("%s (this is said once)", words)


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
        message = f"can't record in {folder}: {(error.strerror or 'no folder').lower()}"
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
        "response": redacted_answer(msgspec.json.decode(exchange.response)),
    }
    metadata = request["parent"]["metadata"]
    words = (exchange.path.strip("/"), metadata.get("namespace"), metadata["name"])
    moment = exchange.at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    name = "-".join((moment, f"{number:06}", *(_safe(word) for word in words)))
    return msgspec.json.encode(entry) + b"\n", f"{name}.json"


def _safe(word: object) -> str:
    """Return *word*, which is anybody's, as a part of a file's name."""
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
