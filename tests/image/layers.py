"""The files in the layers of an image, also those that a later layer would hide."""

import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.image.programs import run

_START = 4
"""Bytes that tell what a file is."""


@dataclass(frozen=True)
class File:
    """A file, a directory or a link of a layer; *start* is empty unless it is a file with contents."""

    path: PurePosixPath
    entry: tarfile.TarInfo
    start: bytes

    @property
    def is_program(self) -> bool:
        """Whether it is where programs are looked up, and can be run, or is a link."""
        is_executable = bool(self.entry.mode & 0o111) and self.start.startswith((b"\x7fELF", b"#!"))
        return self.path.parent.name in {"bin", "sbin"} and (self.entry.issym() or is_executable)


def files(image: str) -> list[File]:
    """Return the files in all layers of *image*."""
    with tempfile.TemporaryDirectory() as folder:
        run("buildah", "push", "--quiet", image, f"dir:{folder}")
        blobs = [path for path in Path(folder).iterdir() if tarfile.is_tarfile(path)]
        return [file for blob in blobs for file in _files(blob)]


def _files(blob: Path) -> Iterator[File]:
    with tarfile.open(blob) as layer:
        for entry in layer:
            content = layer.extractfile(entry) if entry.isreg() else None
            start = content.read(_START) if content else b""
            yield File(PurePosixPath("/", entry.name), entry, start)
