"""Files that are replaced while the server runs, such as certificates and tokens: they are read when they change.

One rule for all of them: a file that can't be used changes nothing. What was read before stays in use, and the log and
a metric say so. But a token or a CA whose file is gone lets nobody in. They are polled: Kubernetes replaces a mounted
Secret by swapping a symbolic link, and a few seconds do no harm.
"""

import asyncio
import logging
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from metahook.protocol.bodies import MIB

POLL = 5.0
"""Seconds between two looks at the files."""

MAX_SIZE = MIB
"""Bytes. The CA certificates of a whole operating system are a fifth of it."""

FileState = tuple[str, int, int, int] | None
"""What changes with a file: its path without links, its inode, length and time of modification; None if it is gone."""

T = TypeVar("T")

log = logging.getLogger(__name__)


def _only_keep(_: object) -> None:
    """Do nothing else with a value."""


class CannotLoad(Exception):
    """Raised for files that can't be used. Its text says which, and why, and has nothing of their content."""


class Loaded(Generic[T]):
    """What *load* makes of *files*, given what it made of them before; *name* is for the log.

    *weaknesses* returns what to say about a value that can be used. A new value is given to *use*, and replaces the
    previous one once that has returned. Raise CannotLoad, as *load* does.
    """

    def __init__(
        self,
        name: str,
        files: Sequence[Path],
        load: Callable[[T | None], T],
        weaknesses: Callable[[T], Iterable[str]],
        use: Callable[[T], object] = _only_keep,
    ) -> None:
        self._name, self._files, self._load, self._weaknesses, self._use = name, files, load, weaknesses, use
        # This comes before the files are read, so that the first look sees a change in between.
        self._states = self._look()
        self._failed: object = None
        self.value = load(None)

    @property
    def is_unusable(self) -> bool:
        """Whether the files have changed, and can't be used."""
        return self._failed is not None

    def reload(self) -> bool:
        """Load the files again if they have changed; return whether the value is new."""
        states = self._look()
        if states == self._states:
            self._failed = None
            return False
        try:
            value = self._load(self.value)
            self._use(value)
        except CannotLoad as error:
            self._log_failure(states, str(error))
            return False
        except Exception as error:  # noqa: BLE001 - such as a process without a free file descriptor
            self._log_failure(states, f"can't use the new {self._name}: {reason_of(error)}")
            return False
        self.value = value
        log.info("now using the new %s", self._name)
        self._states, self._failed = states, None
        self.warn()
        return True

    def warn(self) -> None:
        """Log the weaknesses of the value."""
        for weakness in self._weaknesses(self.value):
            log.warning(weakness)

    def _log_failure(self, states: tuple[FileState, ...], problem: str) -> None:
        """Log *problem* once for each change. It is tried again, because the files need not be the cause."""
        if self._failed != (states, problem):
            log.error("%s; still using the previous %s", problem, self._name)
        self._failed = (states, problem)

    def _look(self) -> tuple[FileState, ...]:
        return tuple(_state(path) for path in self._files)


def _state(path: Path) -> FileState:
    try:
        resolved = path.resolve(strict=True)
        found = resolved.stat()
    except (OSError, RuntimeError):  # a loop of links is a RuntimeError before Python 3.13
        return None
    return str(resolved), found.st_ino, found.st_size, found.st_mtime_ns


def is_gone(path: Path) -> bool:
    """Tell whether there is no file at *path*: nothing at all, or something that is never opened, such as a pipe."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def is_open_to_others(path: Path) -> bool:
    """Tell whether every user of the machine can read the file at *path*."""
    try:
        return bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def read(path: Path) -> bytes:
    """Return the content of the file at *path*; raise CannotLoad. Pipes and devices could block, and are not opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            message = f"can't read {path}: it is not a regular file"
            raise CannotLoad(message)
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            content = file.read(MAX_SIZE + 1)
    except OSError as error:
        raise cannot_read(path, error) from error
    if len(content) > MAX_SIZE:
        message = f"can't use {path}: it is larger than 1 MiB"
        raise CannotLoad(message)
    return content


def cannot_read(path: Path, error: OSError) -> CannotLoad:
    """Return what to raise for *error* at *path*."""
    return CannotLoad(f"can't read {path}: {reason_of(error)}")


def reason_of(error: Exception) -> str:
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

    def warn(self) -> None:
        """Log the weaknesses of the files that the server starts with. A reload logs those of new files."""


@asynccontextmanager
async def reloading(*items: Reloaded | None, every: float = POLL) -> AsyncIterator[None]:
    """Reload *items* every so many seconds until the block ends. None is nothing to reload."""
    polling = asyncio.create_task(_poll([item for item in items if item], every))
    try:
        yield
    finally:
        polling.cancel()


async def _poll(items: list[Reloaded], every: float) -> None:
    while items:
        await asyncio.sleep(every)
        for item in items:
            try:
                item.reload()
            except Exception:  # the next look may find what can be read
                log.exception("can't look at files")
