"""A balancer of TCP connections between Metacontroller and several hooks, as the Service of a Deployment is."""

import asyncio
import random
import threading
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

CHUNK = 65536


class Balancer:
    """Forwards each new connection to one of the hooks at random; a connection stays when its hook is removed."""

    def __init__(self) -> None:
        self._hooks: list[tuple[str, int]] = []
        self._connections: set[asyncio.Task[None] | None] = set()
        self._is_open = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="balancer")

    def __enter__(self) -> Self:
        """Start, on a free port."""
        self._thread.start()
        self._is_open.wait()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and close all connections."""
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._forward, "127.0.0.1", 0) as server:
            self.address = "{}:{}".format(*server.sockets[0].getsockname())
            self._is_open.set()
            await self._closing.wait()

    def add(self, url: str) -> None:
        """Forward connections to the hook at *url*, too."""
        self._hooks.append(_address(url))

    def remove(self, url: str) -> None:
        """Forward no more connections to the hook at *url*."""
        self._hooks.remove(_address(url))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._connections.add(task)  # asyncio keeps no reference to it, and it could be collected
        try:
            hook_reader, hook_writer = await asyncio.open_connection(*random.choice(self._hooks))  # noqa: S311 - no secret
            await asyncio.gather(_copy(reader, hook_writer), _copy(hook_reader, writer))
            hook_writer.close()
        except (ConnectionRefusedError, asyncio.CancelledError):  # the hook, or the balancer, has stopped
            writer.transport.abort()
        finally:
            writer.close()
            self._connections.discard(task)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the end, and pass on how it ended: an end of file or a reset."""
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        with suppress(OSError):
            writer.write_eof()
    except ConnectionError:
        writer.transport.abort()


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)
