"""The transport of a connection, as uvicorn gets it: nothing is written to one that is closed."""

import asyncio
import socket
import sys
from typing import Any, cast

_TCP_ESTABLISHED = b"\x01"
"""The state of a TCP connection of which no side is closed, in Linux: the first byte of tcp_info."""


class _Open:
    """A transport to which anyone may write at any time.

    uvicorn drops responses for a client that has left, but only to the last of the requests that the client pipelined;
    and a transport of uvloop that is closed raises RuntimeError.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def write(self, data: bytes) -> None:
        """Write *data*, or drop it."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a transport has
        return getattr(self._transport, name)


def dropping_when_closed(transport: asyncio.Transport) -> asyncio.Transport:
    """Return *transport*, which drops what is written once it is closed."""
    return cast("asyncio.Transport", _Open(transport))


def is_established(connected: socket.socket) -> bool:
    """Tell whether both sides of TCP are open; True where the system does not tell."""
    if sys.platform != "linux":
        return True
    try:
        return connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1) == _TCP_ESTABLISHED
    except OSError:  # it is closed
        return False
