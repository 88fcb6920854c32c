"""SHA256SUMS, for ``sha256sum --check``."""

import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def sha256(file: Path) -> str:
    """Return the digest of *file*, as 64 hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def write(folder: Path) -> None:
    """Write the checksums of all files in *folder*."""
    lines = [f"{sha256(file)}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / NAME).write_text("".join(lines))
