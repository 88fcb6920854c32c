"""Recording: writes requests and their responses to files, one file each, to replay them.

A request is written after its response was sent, in a thread of its own, and what can't be written is left out. What
users wrote in their specs is in the files, although redacted, so only their owner may read them.
"""

import asyncio
import itertools
import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from metahook.protocol.request import Body
from metahook.protocol.wire import MIB
from metahook.server.folder import Folder
from metahook.server.redaction import Redaction

MOST_WAITING = 16 * MIB
"""Bytes of requests and responses that wait to be written. More are left out: slow disks and clients cost no memory."""

_LONGEST = 63
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]")

log = logging.getLogger(__name__)


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


class _Metadata(msgspec.Struct):
    name: str
    namespace: str


class _Parent(msgspec.Struct):
    metadata: _Metadata


class _Request(msgspec.Struct):
    parent: _Parent


class Recorder:
    """Writes exchanges into a folder until it takes *most* bytes on the disk; raises CannotRecord.

    *version* is the hook's: each file names it.
    """

    def __init__(self, folder: Path, most: int, version: str, redaction: Redaction | None = None) -> None:
        self._path = folder
        self._folder = Folder(folder, most)
        self._version = version
        self._redaction = redaction or Redaction()
        self._numbers = itertools.count(1)
        self._thread = ThreadPoolExecutor(1, "recording")
        self._waiting = 0
        self._lock = threading.Lock()
        self._stopped = False
        self._logged: set[str] = set()

    def announce(self) -> None:
        """Log that requests are recorded, and where."""
        warning = "recording requests in %s: they contain users' data; keep them private"
        log.warning(warning, self._path)

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
            text, name = self._recorded(exchange)
            self._stopped = self._stopped or not self._folder.has_room(len(text))
            if self._stopped:
                remedy = "empty the directory and restart the hook to continue"
                self._log_once(f"the directory is at its limit, so recording has stopped; {remedy}")
                return
            self._folder.save(name, text)
        except OSError as error:
            self._log_once(f"a request could not be recorded: {(error.strerror or 'no reason given').lower()}")
        except Exception as error:  # noqa: BLE001 - the response was sent; nothing here may do harm
            self._log_once(f"a request could not be recorded: {type(error).__name__}")

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
        parent = msgspec.json.decode(request, type=_Request).parent.metadata
        words = (exchange.path.strip("/"), parent.namespace, parent.name)
        moment = exchange.at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        name = "-".join((moment, f"{next(self._numbers):06}", *(_safe(word) for word in words)))
        return msgspec.json.encode(entry) + b"\n", f"{name}.json"

    def _log_once(self, message: str) -> None:
        """Log *message* at its first call: a disk that is full is full for every request."""
        if message not in self._logged:
            self._logged.add(message)
            log.error("%s (logged only once)", message)


class RecordedResponse(Response):
    """A response whose exchange is written after it was sent, if the recorder has memory for it."""

    def __init__(self, response: Response, recorder: Recorder, exchange: Exchange) -> None:
        super().__init__(response.body, response.status_code, media_type="application/json")
        self._recorder = recorder
        self._exchange = exchange

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, and write the exchange."""
        # Why not earlier: a response that comes too late is never sent, and would never give its memory back.
        if not self._recorder.admit(self._exchange):
            del self._exchange  # while the client reads, it would hold memory
            await super().__call__(scope, receive, send)
            return
        try:
            await super().__call__(scope, receive, send)
        finally:  # also if the client is gone: what was admitted holds memory until it is written
            await self._recorder.write(self._exchange)


def _safe(word: object) -> str:
    """Return *word*, which a user chose, as a part of a file's name."""
    return _UNSAFE.sub("_", str(word))[:_LONGEST]
