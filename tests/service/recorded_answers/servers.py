"""The servers that get the requests, each as a process of its own, and what each of them answers."""

import asyncio
import ssl
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import trustme

from tests.service.operator import serve_with, served
from tests.service.recorded_answers import caller_requests, my_resource_requests
from tests.service.recorded_answers.exchange import Answer, Exchange, answers
from toolkit.served.process import Served

SHORT = ("--stop-timeout=1", "--body-timeout=2")
SERVE = (*serve_with(idle_timeout=2, head_timeout=2), "--log-level=error", *SHORT)
AT_ONCE = 3
"""Servers that run at the same time."""
_TLS_FILES = (("cert", "tls.crt"), ("key", "tls.key"), ("client-ca", "ca.crt"))


@dataclass(frozen=True)
class Client:
    """A client of a server: its requests, and how it connects."""

    exchanges: dict[str, Exchange]
    is_of_health: bool = False
    """Whether it connects to the port for health."""
    tls: Callable[[Path], ssl.SSLContext | None] = lambda _: None


@dataclass(frozen=True)
class Server:
    """A server, and its clients, by name."""

    clients: dict[str, Client]
    options: Callable[[Path], tuple[str, ...]] = lambda _: ()
    """More options, which name files in a directory."""


def _token_options(folder: Path) -> tuple[str, ...]:
    (folder / "token").write_text(caller_requests.TOKEN)
    return (f"--tokens={folder / 'token'}", "--max-body=1")


def _tls_options(folder: Path) -> tuple[str, ...]:
    """Write the certificates; return the options that name them."""
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(folder / "ca.crt"))
    ca.issue_cert("metacontroller@example.com").private_key_and_cert_chain_pem.write_to_path(str(folder / "client.pem"))
    cert = ca.issue_cert("127.0.0.1")
    cert.cert_chain_pems[0].write_to_path(str(folder / "tls.crt"))
    cert.private_key_pem.write_to_path(str(folder / "tls.key"))
    return tuple(f"--tls-{name}={folder / file}" for name, file in _TLS_FILES)


def _stranger(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "ca.crt"))


def _metacontroller(folder: Path) -> ssl.SSLContext:
    context = _stranger(folder)
    context.load_cert_chain(folder / "client.pem")
    return context


SERVERS = (
    Server(
        {
            "MyResources": Client(my_resource_requests.MYRESOURCE),
            "hostile requests": Client(my_resource_requests.HOSTILE),
            "health": Client(caller_requests.HEALTH, is_of_health=True),
        },
        lambda _: ("--body-timeout=8",),  # enough for large bodies on a busy machine
    ),
    Server({"connections": Client(my_resource_requests.CONNECTIONS)}),
    Server({"tokens": Client(caller_requests.TOKENS)}, options=_token_options),
    Server(
        {
            "TLS": Client(caller_requests.TLS, tls=_metacontroller),
            "TLS without a certificate": Client(caller_requests.TLS, tls=_stranger),
            "TLS expected, but not used": Client(caller_requests.TLS),
        },
        options=_tls_options,
    ),
    Server({"development mode": Client(caller_requests.DEVELOPMENT)}, lambda _: ("--dev",)),
)


def all_answers() -> dict[str, dict[str, Answer]]:
    """Return what the servers answer, by client and name."""
    with ThreadPoolExecutor(AT_ONCE) as threads:
        found = threads.map(_answers_of, SERVERS)
    return {client: given for by_client in found for client, given in by_client.items()}


def _answers_of(server: Server) -> dict[str, dict[str, Answer]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with served(*SERVE, *server.options(folder)) as running:
            return asyncio.run(_answers(server, running, folder))


async def _answers(server: Server, running: Served, folder: Path) -> dict[str, dict[str, Answer]]:
    port, health_port = (int(url.rpartition(":")[2]) for url in (running.url, running.health_url))
    tasks = [
        answers(health_port if client.is_of_health else port, client.exchanges, client.tls(folder))
        for client in server.clients.values()
    ]
    return dict(zip(server.clients, await asyncio.gather(*tasks), strict=True))
