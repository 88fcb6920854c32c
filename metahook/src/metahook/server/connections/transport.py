"""The transport of a connection, as uvicorn gets it: nothing is written to one that is closed."""

import asyncio
from typing import Any, cast


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
