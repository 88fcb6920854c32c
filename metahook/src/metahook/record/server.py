"""The server of the proxy: that of hooks, with its limits of connections and heads, until SIGTERM or SIGINT."""

import asyncio
import logging
import signal
import socket
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import httpx

from metahook.record.proxy import TIMEOUT, Proxy
from metahook.record.recorder import Recorder
from metahook.server.app import ServerOptions
from metahook.server.callers.tls import Certificates
from metahook.server.callers.watched_files import CannotLoad, cannot_read, reloading
from metahook.server.connections.connections import Connections
from metahook.server.lifecycle.server import create_server
from metahook.server.telemetry.telemetry import Telemetry

STOP_TIMEOUT = 15
"""Seconds for calls in progress when it stops. Metacontroller waits 10 for each."""


@dataclass(frozen=True)
class RecordedHook:
    """The hook behind the proxy. One over TLS has a certificate of *ca*, by default of the CAs of the system.

    Raise CannotLoad.
    """

    url: httpx.URL
    ca: Path | None = None

    def client(self) -> httpx.AsyncClient:
        """Return a client for the hook, which never uses a connection again: the hook may be about to close it."""
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        return httpx.AsyncClient(verify=self._context(), timeout=TIMEOUT, limits=limits, trust_env=False)

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca is None:
            context.load_default_certs()
            return context
        try:
            context.load_verify_locations(self.ca)
        except ssl.SSLError as error:
            message = f"can't use the certificates in {self.ca}: give certificates in PEM format"
            raise CannotLoad(message) from error
        except OSError as error:
            raise cannot_read(self.ca, error) from error
        # The file may also have the certificate of the hook itself.
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
        # In a Pod the hook has a certificate for its Service, and not for this name.
        context.check_hostname = not _is_loopback(self.url.host)
        return context


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve(listener: socket.socket, certificates: Certificates | None, hook: RecordedHook, recorder: Recorder) -> None:
    """Forward what arrives at *listener*, over TLS if there are *certificates*, and record it."""
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs the URL of each request
    recorder.announce()
    options = ServerOptions(stop_timeout=STOP_TIMEOUT, certificates=certificates)
    asyncio.run(_serve(listener, options, hook, recorder))


async def _serve(listener: socket.socket, options: ServerOptions, hook: RecordedHook, recorder: Recorder) -> None:
    async with hook.client() as client, reloading(options.certificates):
        telemetry = Telemetry()
        connections = Connections(options.limits, telemetry.closed, telemetry.refuse)
        proxy = Proxy(hook.url, client, recorder)
        server = create_server(proxy, options, connections, adds_date=False)  # the hook's passes
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, server.handle_exit, number, None)
        await server.serve([listener])
