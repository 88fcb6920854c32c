"""A listener: accepts connections, and gives each its place, which it has during its TLS handshake, too.

asyncio has listeners of its own. That of uvloop accepts one connection in each turn of the loop, so new ones wait for
seconds where many requests are answered; and neither can drop a connection during its handshake.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable

from metahook.server.callers.tls import HANDSHAKE_TIMEOUT, Certificates, why_refused
from metahook.server.connections.connection import Connection
from metahook.server.connections.connections import Connections

SHARE = 16
"""Accepted in one turn of the loop are as many connections as this part of all places, and at least one.

It takes some turns until a new one is read. Until then, no more of them come than there are places.
"""

PAUSE = 0.1
"""Seconds until the next connection is accepted if one could not be, and no other one gives way."""

Create = Callable[[socket.socket, Callable[[], object]], Connection]
"""Returns the connection of a socket, given what closes it while it opens."""


class Listener:
    """The listener of one *listening* socket, over TLS if there are *certificates*."""

    def __init__(
        self, listening: socket.socket, create: Create, connections: Connections, certificates: Certificates | None
    ) -> None:
        self._socket = listening
        self._create = create
        self._connections = connections
        self._certificates = certificates
        self._at_once = max(1, connections.limits.max_connections // SHARE)
        self._loop = asyncio.get_running_loop()
        self._opening = set[asyncio.Task[None]]()

    def start(self) -> None:
        """Begin to accept connections."""
        self._socket.setblocking(False)  # noqa: FBT003 - Python's
        self._loop.add_reader(self._socket, self._accept)

    def close(self) -> None:
        """Accept no more connections."""
        self._loop.remove_reader(self._socket)
        self._socket.close()

    def _accept(self) -> None:
        for _ in range(self._at_once):
            try:
                accepted, _ = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError:  # the process has no file descriptor left for it
                if not self._connections.make_room():
                    self._loop.remove_reader(self._socket)
                    self._loop.call_later(PAUSE, self._resume)
                return
            task = self._loop.create_task(self._open(accepted))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    def _resume(self) -> None:
        if self._socket.fileno() >= 0:  # it is not closed
            self.start()

    async def _open(self, accepted: socket.socket) -> None:
        """Make a connection of the socket, unless its handshake fails, or another connection takes its place."""
        task = asyncio.current_task()
        connection = self._create(accepted, task.cancel)  # type: ignore[union-attr] # a coroutine has a task
        if not self._connections.admit(connection):
            accepted.close()
            return
        is_open = False
        try:
            await self._connect(connection, accepted)
            is_open = True
        except TimeoutError:
            self._connections.on_closed(HANDSHAKE_TIMEOUT)
        except ssl.SSLError as error:
            self._connections.on_closed(why_refused(error))
        except (OSError, asyncio.CancelledError):  # the client has left, or another connection has the place
            pass
        except BaseException:
            accepted.close()
            raise
        finally:
            if not is_open:
                self._connections.remove(connection)

    async def _connect(self, connection: Connection, accepted: socket.socket) -> None:
        """Have the loop make the connection; raise TimeoutError, SSLError, another OSError or CancelledError."""
        if self._certificates is None:
            await self._loop.connect_accepted_socket(lambda: connection, accepted)
            return
        limits = self._connections.limits
        async with asyncio.timeout(limits.handshake_timeout):
            await self._loop.connect_accepted_socket(
                lambda: connection,
                accepted,
                ssl=self._certificates.current,
                ssl_handshake_timeout=2 * limits.handshake_timeout,  # the loop's own, which would tell nothing
                ssl_shutdown_timeout=limits.write_timeout,
            )
