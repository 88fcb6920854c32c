"""The folder of recordings: private to its owner, and limited by the blocks that it takes on the disk.

It is opened once, then checked, and its files are created relative to its descriptor. So another user who can write to
a folder above can't redirect a file by replacing a part of the path.
"""

import os
import stat
import weakref
from contextlib import suppress
from pathlib import Path

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
