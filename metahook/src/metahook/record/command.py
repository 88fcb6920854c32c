"""The command: options of the proxy and of the recorder."""

from collections.abc import Callable
from pathlib import Path

import click
import httpx

from metahook.protocol.bodies import MIB
from metahook.record.proxy import RecordedHook, serve
from metahook.record.recorder import CannotRecord, Recorder
from metahook.record.redaction import Redaction
from metahook.server import Address, CannotListen, CannotLoad, Certificates, set_up_logging

_FILE = click.Path(path_type=Path)
_HIGHEST_PORT = 65535


class CannotStart(click.ClickException):
    """Raised for an option whose value can't be used."""

    exit_code = 2


def _address(_context: click.Context, _param: click.Parameter, value: str) -> Address:
    host, colon, port = value.rpartition(":")
    if not (colon and port.isascii() and port.isdigit() and int(port) <= _HIGHEST_PORT):
        message = "write it as 127.0.0.1:8080, or as :8080 for all addresses"
        raise click.BadParameter(message)
    return Address(host.removeprefix("[").removesuffix("]") or "0.0.0.0", int(port))  # noqa: S104 - as it says


def _url(_context: click.Context, _param: click.Parameter, value: str) -> httpx.URL:
    try:
        url = httpx.URL(value)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo:
        message = "not the URL of a hook; write it as http://127.0.0.1:8080"
        raise click.BadParameter(message)
    return url


def record_command(redaction: Callable[[bool], Redaction], version: str) -> click.Command:
    """Return the command ``record`` for hooks of *version*.

    *redaction* returns what is redacted, given whether values are recorded.
    """

    @click.command("record")
    @click.option(
        "--listen",
        callback=_address,
        metavar="HOST:PORT",
        required=True,
        help="Address to listen on; :8080 is all addresses.",
    )
    @click.option("--hook", callback=_url, metavar="URL", required=True, help="URL of the hook, without /sync.")
    @click.option(
        "-o", "--output", type=_FILE, metavar="DIR", required=True,
        help="Directory to record requests and responses in. They contain users' data: keep them private.",
    )  # fmt: skip
    @click.option(
        "--limit", type=click.IntRange(min=1), metavar="MIB", default=100, show_default=True,
        help="Stop recording when the directory takes this much space on the disk, in MiB.",
    )  # fmt: skip
    @click.option(
        "--values", is_flag=True,
        help="Record all values, such as those of environment variables and ConfigMaps, but not those of Secrets.",
    )  # fmt: skip
    @click.option(
        "--ca-cert", type=_FILE, metavar="FILE",
        help="File with CA certificates, or the certificate, of a hook over TLS, in PEM format.",
    )  # fmt: skip
    @click.option(
        "--tls-cert", type=_FILE, metavar="FILE",
        help="File with the certificate and its chain, in PEM format, to listen with TLS.",
    )  # fmt: skip
    @click.option("--tls-key", type=_FILE, metavar="FILE", help="File with the key of the certificate, in PEM format.")
    @click.option(
        "--tls-client-ca", type=_FILE, metavar="FILE",
        help="File with CA certificates, in PEM format. Only clients with a certificate of one of them can connect.",
    )  # fmt: skip
    def record(  # noqa: PLR0913 - one for each option
        *,
        listen: Address,
        hook: httpx.URL,
        output: Path,
        limit: int,
        values: bool,
        ca_cert: Path | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        tls_client_ca: Path | None,
    ) -> None:
        """Record the requests to a hook and its responses, as a proxy in front of it.

        Requests go on to the hook at the URL, and its responses come back unchanged. Stop it with SIGTERM or Ctrl-C.
        """
        set_up_logging()
        try:
            certificates = _certificates(tls_cert, tls_key, tls_client_ca)
            behind = RecordedHook(hook, ca_cert)
            recorder = Recorder(output, limit * MIB, version, redaction(values))
            with listen.listen() as listener:
                serve(listener, certificates, behind, recorder)
        except CannotRecord as error:
            message = f"{error}; name another directory with --output"
            raise CannotStart(message) from error
        except CannotListen as error:
            message = f"{error}; choose another with --listen"
            raise CannotStart(message) from error
        except CannotLoad as error:
            raise CannotStart(str(error)) from error

    return record


def _certificates(cert: Path | None, key: Path | None, client_ca: Path | None) -> Certificates | None:
    """Return the certificates to listen with, or None without TLS; raise CannotLoad and UsageError."""
    if cert and key:
        return Certificates(cert, key, client_ca)
    if cert or key or client_ca:
        missing = "--tls-key" if cert else "--tls-cert"
        message = f"{missing} is missing: set it too, or listen without TLS"
        raise click.UsageError(message)
    return None
