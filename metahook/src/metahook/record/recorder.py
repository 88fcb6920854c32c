"""The recorder: writes requests and their responses to files, one file each, to replay them.

A request is written in a thread of its own, and what can't be written is left out. What users wrote in their specs is
in the files, although redacted, so only their owner may read them. The folder is limited by the blocks that it takes on
the disk. It is opened once, then checked, and its files are created relative to its descriptor. So another user who can
write to a folder above can't redirect a file by replacing a part of the path.
"""

import asyncio
import itertools
import logging
import os
import re
import stat
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from metahook.protocol.bodies import MIB
from metahook.record.redaction import Redaction

_BLOCK = 512
"""Bytes of a block in ``st_blocks``, on any file system. Source: stat(3type)."""

_ALLOCATED = 4096
"""Bytes that file systems allocate at once."""

_GROWTH = 4 * _ALLOCATED
"""Bytes by which the folder itself may grow for one more file. Source: ext4, which then splits one block into three."""

_PROBE = ".probe-{}"
"""The name of a file that tries whether the folder can be written to."""


class CannotRecord(Exception):
    """Raised when a folder can't be recorded in. Its text says which, and why."""


class Folder:
    """A folder that takes at most *most* bytes on the disk, with all files and folders in it, whoever wrote them.

    Raise CannotRecord if it can't be written to, or others can write to it.
    """

    def __init__(self, path: Path, most: int) -> None:
        self._most = most
        try:
            self._opened = _opened(path)
            weakref.finalize(self, os.close, self._opened)
            _check_private(path, os.fstat(self._opened))
            self._files = _files(self._opened)
            self._probe(_PROBE.format(os.urandom(4).hex()))
        except OSError as error:
            message = f"can't record in {path}: {(error.strerror or 'no directory').lower()}"
            raise CannotRecord(message) from error

    def has_room(self, size: int) -> bool:
        """Tell whether a file of *size* bytes fits into the limit."""
        return self._files + _on_disk(os.fstat(self._opened)) + _GROWTH + _allocated(size) <= self._most

    def save(self, name: str, text: bytes) -> None:
        """Write the file *name* at once: a reader never gets half of one. Raise OSError."""
        unfinished = f".{name}"
        try:
            _create(unfinished, text, self._opened)
            size = max(_allocated(len(text)), _on_disk(_status(unfinished, self._opened)))
            os.rename(unfinished, name, src_dir_fd=self._opened, dst_dir_fd=self._opened)
            self._files += size
        except OSError:
            _remove(unfinished, self._opened)
            raise

    def _probe(self, name: str) -> None:
        """Raise OSError if the folder can't be written to."""
        try:
            _create(name, b"x", self._opened)
        finally:
            _remove(name, self._opened)


def _opened(path: Path) -> int:
    """Return the descriptor of the folder *path*, which is made if need be; raise OSError or CannotRecord."""
    if path.is_symlink():
        message = f"can't record in {path}: it is a symbolic link"
        raise CannotRecord(message)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _check_private(path: Path, status: os.stat_result) -> None:
    """Raise CannotRecord if another user than the owner, or another owner than root, can write to the folder."""
    problem = None
    if status.st_uid not in {os.geteuid(), 0}:
        problem = "it belongs to another user"
    elif stat.S_IMODE(status.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
        problem = "its group or other users can write to it (chmod go-w removes this permission)"
    if problem:
        message = f"can't record in {path}: {problem}"
        raise CannotRecord(message)


def _create(name: str, text: bytes, folder: int) -> None:
    """Write the new file *name*."""
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    with os.fdopen(file, "wb") as opened:
        opened.write(text)


def _remove(name: str, folder: int) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _files(folder: int) -> int:
    """Return the bytes on the disk of all that is in *folder*; raise OSError."""

    def fail(error: OSError) -> None:
        raise error

    walk = os.fwalk(".", onerror=fail, follow_symlinks=False, dir_fd=folder)
    return sum(_on_disk(_status(name, inner)) for _, folders, files, inner in walk for name in (*folders, *files))


def _status(name: str, folder: int) -> os.stat_result:
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _on_disk(status: os.stat_result) -> int:
    return status.st_blocks * _BLOCK


def _allocated(size: int) -> int:
    """Return how many bytes a file of *size* bytes takes at least."""
    return -(-size // _ALLOCATED) * _ALLOCATED


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
