"""The recorder: writes requests and their responses to files, one file each, to replay them.

A request is written in a thread of its own, and what can't be written is left out. What users wrote in their specs is
in the files, although redacted, so only their owner may read them.
"""

import asyncio
import itertools
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from metahook.protocol.bodies import MIB
from metahook.record.folder import CannotRecord, Folder
from metahook.record.redaction import Redaction

MOST_WAITING = 16 * MIB
"""Bytes of requests and responses that pass or wait to be written. More are left out: slow disks cost no memory."""

_LONGEST = 63
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Exchange:
    """A request and its response; *at* is the time when the hook got the request."""

    path: str
    at: datetime
    status: int
    request: bytes
    response: bytes


class _Metadata(msgspec.Struct):
    name: str
    namespace: str | None = None


class _Parent(msgspec.Struct):
    metadata: _Metadata


class _Request(msgspec.Struct):
    parent: _Parent | None = None
    object: _Parent | None = None
    """In place of the parent, in a request to the sync or finalize hook of a decorator."""


class Recorder:
    """Writes exchanges into *folder* until it takes *most* bytes on the disk; raises CannotRecord.

    *version* is the hook's: each file names it. An event loop uses it.
    """

    def __init__(self, folder: Path, most: int, version: str, redaction: Redaction) -> None:
        self._path = folder
        self._most = most
        self._folder = Folder(folder, most)
        self._version = version
        self._redaction = redaction
        self._numbers = itertools.count(1)
        self._thread = ThreadPoolExecutor(1, "recording")
        self._waiting = 0
        self._stopped = False
        self._logged: set[str] = set()

    def announce(self) -> None:
        """Log that requests are recorded, and where."""
        warning = "recording requests in %s: they contain users' data; keep them private"
        log.warning(warning, self._path)

    def reserve(self, size: int) -> bool:
        """Reserve memory until it is released; tell whether there is enough."""
        if self._stopped:
            return False
        has_enough = self._waiting + size <= MOST_WAITING
        if has_enough:
            self._waiting += size
        else:
            most = MOST_WAITING // MIB
            self._log_once(f"some requests are not recorded: writing is too slow for them, or they are over {most} MiB")
        return has_enough

    def release(self, size: int) -> None:
        """Give memory back."""
        self._waiting -= size

    async def write(self, exchange: Exchange) -> None:
        """Write *exchange*."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write, exchange)

    def _write(self, exchange: Exchange) -> None:
        try:
            text, name = self._recorded(exchange)
            try:
                self._save(name, text)
            except FileNotFoundError:  # the directory was removed
                self._folder = Folder(self._path, self._most)
                self._save(name, text)
        except CannotRecord as error:
            self._log_once(str(error))
        except OSError as error:
            self._log_once(f"a request could not be recorded: {(error.strerror or 'no reason given').lower()}")
        except Exception as error:  # noqa: BLE001 - the response was sent; nothing here may do harm
            self._log_once(f"a request could not be recorded: {type(error).__name__}")

    def _save(self, name: str, text: bytes) -> None:
        """Write a file, unless recording has stopped; raise OSError."""
        self._stopped = self._stopped or not self._folder.has_room(len(text))
        if self._stopped:
            remedy = "empty the directory and start again to continue"
            self._log_once(f"the directory is at its limit, so recording has stopped; {remedy}")
            return
        self._folder.save(name, text)

    def _recorded(self, exchange: Exchange) -> tuple[bytes, str]:
        """Return the text of the file of *exchange*, and its name."""
        request, response = self._redaction.redact(exchange.request, exchange.response)
        entry = {
            "version": self._version,
            "path": exchange.path,
            "time": exchange.at.isoformat(),
            "status": exchange.status,
            **({} if self._redaction.keeps_values else {"redacted": True}),
            "request": msgspec.Raw(request),
            "response": msgspec.Raw(response),
        }
        words = (exchange.path.strip("/"), *_parent_of(request))
        moment = exchange.at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        name = "-".join((moment, f"{next(self._numbers):06}", *(_safe(word) for word in words)))
        return msgspec.json.encode(entry) + b"\n", f"{name}.json"

    def _log_once(self, message: str) -> None:
        """Log *message* at its first call: a disk that is full is full for every request."""
        if message not in self._logged:
            self._logged.add(message)
            log.error("%s (logged only once)", message)


def _parent_of(request: bytes) -> list[str]:
    """Return the namespace, if it has one, and the name of the parent in *request*; raise ValueError if it has none."""
    decoded = msgspec.json.decode(request, type=_Request)
    parent = decoded.parent or decoded.object
    if parent is None:
        message = "no parent"
        raise ValueError(message)
    return [word for word in (parent.metadata.namespace, parent.metadata.name) if word]


def _safe(word: object) -> str:
    """Return *word*, which a user chose, as a part of a file's name."""
    return _UNSAFE.sub("_", str(word))[:_LONGEST]
