"""Credentials for a hook at a URL that only some may call: options of the commands that call one."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from msgspec import Struct

from metahook.cli.errors import InputError

if TYPE_CHECKING:
    import ssl

T = TypeVar("T")

_FILE = click.Path(path_type=Path, dir_okay=False)


class Credentials(Struct, frozen=True):
    """Files; None is a file that is not given."""

    ca_cert: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    token_file: Path | None = None

    def context(self) -> "ssl.SSLContext":
        """Return what a connection over TLS begins with; raise InputError."""
        import ssl  # noqa: PLC0415 - few commands call a hook at a URL, and it takes time

        if self.client_key and not self.client_cert:
            message = "--client-key needs --client-cert"
            raise InputError(message)
        context = _load("--ca-cert", lambda: ssl.create_default_context(cafile=self.ca_cert))
        # An intermediate CA may be given without the one that has signed it.
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
        cert, key = self.client_cert, self.client_key
        if cert:
            _load("--client-cert", lambda: context.load_cert_chain(cert, key, password=b""))
        return context

    def headers(self) -> dict[str, str]:
        """Return the header with the token; raise InputError."""
        if self.token_file is None:
            return {}
        from metahook.server.callers import (  # noqa: PLC0415 - few commands need it, and it takes time
            CannotLoad,
            cannot_read,
            parse_token,
        )

        try:
            content = self.token_file.read_bytes()  # which may be a pipe of the shell
            return {"Authorization": f"Bearer {parse_token(self.token_file, content).decode('ascii')}"}
        except OSError as error:
            message = f"--token-file: {cannot_read(self.token_file, error)}"
            raise InputError(message) from error
        except CannotLoad as error:
            message = f"--token-file: {error}"
            raise InputError(message) from error


NO_CREDENTIALS = Credentials()


def _load(option: str, load: Callable[[], T]) -> T:
    try:
        return load()
    except (OSError, ValueError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else "can't be used"
        message = f"{option}: {reason}; give a readable PEM file"
        raise InputError(message) from error


def with_credentials(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the argument ``credentials``, and the options for it."""

    @wraps(command)
    def run(**given: object) -> T:
        files = {name: given.pop(name) for name in Credentials.__struct_fields__}
        return command(credentials=Credentials(**files), **given)  # type: ignore[arg-type] # click makes them paths

    for add in reversed(_OPTIONS):
        run = add(run)
    return run


_OPTIONS = [
    click.option("--ca-cert", type=_FILE, metavar="FILE", help="CA certificates that signed the hook's certificate."),
    click.option("--client-cert", type=_FILE, metavar="FILE", help="Certificate to show to the hook, in PEM format."),
    click.option("--client-key", type=_FILE, metavar="FILE", help="Its key, if it is not in the same file."),
    click.option("--token-file", type=_FILE, metavar="FILE", help="File with a token for the hook."),
]
