"""Files that are replaced while the server runs, such as certificates and tokens: they are read when they change.

One rule for all of them: files that can't be used change nothing. What was read before stays in use, and the log says
so. They are polled: Kubernetes replaces a mounted Secret by swapping a symbolic link, and a few seconds do no harm.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

POLL = 5.0
"""Seconds between two looks at the files."""

FileState = tuple[str, int, int, int] | None
"""What changes with a file: its path without links, its inode, length and time of modification; None if it is gone."""

T = TypeVar("T")

log = logging.getLogger(__name__)


class CannotLoad(Exception):
    """Raised for files that can't be used. Its text says which, and why, and has nothing of their content."""


class Loaded(Generic[T]):
    """What *load* makes of the files that *files* lists; *name* is for the log.

    Raise CannotLoad, as *load* does.
    """

    def __init__(self, name: str, files: Callable[[], Iterable[Path]], load: Callable[[], T]) -> None:
        self._name, self._files, self._load = name, files, load
        # This comes before the files are read, so that the first look sees a change in between.
        self._states = self._look()
        self._failed: object = None
        self.value = load()

    def reload(self) -> bool:
        """Load the files again if they have changed; return whether the value is new."""
        states = self._look()
        if states == self._states:
            self._failed = None
            return False
        try:
            self.value = self._load()
        except CannotLoad as error:
            self._log_failure(states, error)
            return False
        log.info("now using the new %s", self._name)
        self._states, self._failed = states, None
        return True

    def _log_failure(self, states: tuple[FileState, ...], error: CannotLoad) -> None:
        """Log *error* once for each change. It is tried again, because the files need not be the cause."""
        if self._failed != (states, str(error)):
            log.error("%s; still using the previous %s", error, self._name)
        self._failed = (states, str(error))

    def _look(self) -> tuple[FileState, ...]:
        try:
            return tuple(_state(path) for path in self._files())
        except OSError:
            return (None,)


def _state(path: Path) -> FileState:
    try:
        resolved = path.resolve(strict=True)
        found = resolved.stat()
    except (OSError, RuntimeError):  # a loop of links is a RuntimeError before Python 3.13
        return None
    return str(resolved), found.st_ino, found.st_size, found.st_mtime_ns


def read(path: Path) -> bytes:
    """Return the content of the file at *path*; raise CannotLoad."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error


def cannot_read(path: Path, error: OSError) -> CannotLoad:
    """Return what to raise for *error* at *path*."""
    return CannotLoad(f"can't read {path}: {(error.strerror or 'unknown error').lower()}")


class Reloaded(Protocol):
    """What is made of files."""

    def reload(self) -> object:
        """Read the files again if they have changed. It never raises."""


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
            item.reload()
