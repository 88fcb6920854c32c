"""PEM files: whether they have what they are given for. OpenSSL does not say which file it can't use."""

import re
from pathlib import Path

from metahook.server.callers.watched_files import CannotLoad, read

_CERTIFICATE = re.compile(rb"-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----")
_KEY = re.compile(rb"-----BEGIN ([A-Z]+ )?PRIVATE KEY-----")


def check_certificate(path: Path) -> None:
    """Raise CannotLoad if the file at *path* has no certificate."""
    if not _CERTIFICATE.search(read(path)):
        message = (
            f"{path} has no certificate in PEM format: write one that begins with -----BEGIN CERTIFICATE----- into it"
        )
        raise CannotLoad(message)


def check_key(path: Path) -> None:
    """Raise CannotLoad if the file at *path* has no key, or an encrypted one."""
    content = read(path)
    if not _KEY.search(content):
        message = f"{path} has no key in PEM format: write one that begins with -----BEGIN PRIVATE KEY----- into it"
        raise CannotLoad(message)
    if b"ENCRYPTED" in content:
        message = f"can't use {path}: the key is encrypted; remove its passphrase, as with: openssl pkey -in {path}"
        raise CannotLoad(message)
