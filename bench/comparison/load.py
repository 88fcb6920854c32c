"""Sends requests over several connections, each with one request at a time, as Metacontroller's workers do.

Why raw sockets and epoll: a request costs the client some 20 us, so the server has no pauses that a slow client makes.
"""

import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

PATIENCE = 30.0
"""Seconds without any answer after which a server counts as dead."""

_RECEIVED = 1 << 18
"""Bytes that are read at once."""

_END = b"\r\n\r\n"
_LENGTH = b"content-length:"


class NotAnswered(Exception):
    """A request was refused, or not answered."""


class _Connection:
    """A connection, which is opened again when the server closes it: an HTTP/1.0 server does so after each answer."""

    def __init__(self, port: int, poll: select.epoll) -> None:
        self._port = port
        self._poll = poll
        self._socket: socket.socket | None = None
        self.descriptor = -1
        self.begun = 0.0

    def send(self, raw: bytearray) -> None:
        """Begin to send *raw*."""
        self.begun = time.perf_counter()
        self._unsent, self.received, self._length = memoryview(raw), b"", -1
        if self._socket is None:
            self._open()
        self.send_more()

    def _open(self) -> None:
        self._socket = socket.socket()
        self._socket.setblocking(False)  # noqa: FBT003 - takes no keyword
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.connect_ex(("127.0.0.1", self._port))
        self.descriptor = self._socket.fileno()
        self._poll.register(self.descriptor, select.EPOLLIN)
        self._waits_to_send = False

    def send_more(self) -> None:
        """Send what the kernel takes now; it reports when it takes the rest."""
        assert self._socket  # noqa: S101 - opened by send
        with suppress(BlockingIOError):
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        if self._waits_to_send != bool(self._unsent):
            self._waits_to_send = bool(self._unsent)
            self._poll.modify(self.descriptor, select.EPOLLIN | (select.EPOLLOUT if self._unsent else 0))

    def receive(self) -> bool:
        """Read what has arrived; return whether the response is complete. It ends with its length or the connection."""
        assert self._socket  # noqa: S101 - opened by send
        part = self._socket.recv(_RECEIVED)
        self.received += part
        if self._length < 0:
            self._read_head()
        if part:
            return 0 <= self._length <= len(self.received)
        self.close()
        if not self.received or self._length > len(self.received):
            message = "the server closed a connection before it answered"
            raise ConnectionError(message)
        return True

    def _read_head(self) -> None:
        """Set the length of the response, if its head has arrived, and it does not end with the connection."""
        head, end, _ = self.received.partition(_END)
        fields = head.lower()
        if b"transfer-encoding" in fields:
            message = f"the server answered in chunks: {head!r}"
            raise NotAnswered(message)
        if end and not fields.startswith(b"http/1.0") and b"connection: close" not in fields:
            self._length = len(head) + len(end) + int(fields.partition(_LENGTH)[2].split(b"\r\n", 1)[0])

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._poll.unregister(self.descriptor)
            self._socket.close()
            self._socket = None


class Client:
    """Sends requests to a server on *port* over so many *connections*."""

    def __init__(self, port: int, connections: int) -> None:
        self._poll = select.epoll()
        self._connections = [_Connection(port, self._poll) for _ in range(connections)]

    def send(self, next_request: Callable[[], bytearray], is_over: Callable[[int], bool]) -> list[float]:
        """Send requests until *is_over* of the number that was sent; return the seconds that each took.

        Raises NotAnswered if the status of a response is not 200, and ConnectionError.
        """
        took: list[float] = []
        waiting: dict[int, _Connection] = {}
        for number, connection in enumerate(self._connections):
            if not is_over(number):
                connection.send(next_request())
                waiting[connection.descriptor] = connection
        sent = len(waiting)
        while waiting:
            for descriptor, connection in self._answered(waiting):
                took.append(time.perf_counter() - connection.begun)
                del waiting[descriptor]
                if not is_over(sent):
                    connection.send(next_request())
                    waiting[connection.descriptor] = connection
                    sent += 1
        return took

    def response(self, request: bytearray) -> bytes:
        """Send one *request*; return the response."""
        (connection, *_) = self._connections
        self.send(lambda: request, lambda sent: sent > 0)
        return connection.received

    def _answered(self, waiting: dict[int, _Connection]) -> Iterator[tuple[int, _Connection]]:
        """Yield the connections whose response has arrived, and send more over the others."""
        events = self._poll.poll(PATIENCE)
        if not events:
            message = f"the server answered nothing for {PATIENCE:.0f} seconds"
            raise NotAnswered(message)
        for descriptor, event in events:
            connection = waiting.get(descriptor)
            if connection is None:  # closed by the server while nothing is asked
                continue
            if event & select.EPOLLOUT:
                connection.send_more()
            if event & ~select.EPOLLOUT and connection.receive():
                _check(connection.received)
                yield descriptor, connection

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.close()
        self._poll.close()


def _check(response: bytes) -> None:
    if response[8:13] != b" 200 ":
        message = f"the server answered {response[:200]!r}"
        raise NotAnswered(message)
