"""The server of the proxy: that of hooks, with its limits of connections and heads, until SIGTERM or SIGINT."""

import asyncio
import logging
import socket
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import httpx
import uvicorn

from metahook.record.proxy import TIMEOUT, Proxy
from metahook.record.recorder import Recorder
from metahook.server import Certificates, ServerOptions, Telemetry
from metahook.server.callers import CannotLoad, cannot_read, reloading
from metahook.server.serve import server_config

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
        proxy = Proxy(hook.url, client, recorder)
        config = server_config(proxy, options, Telemetry(), lifespan="off", date_header=False)  # the hook's passes
        await uvicorn.Server(config).serve([listener])
