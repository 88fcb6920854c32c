"""Many clients in one plain loop: each sends its next request when it has the response to the last one.

Why not :func:`bench.reliability.client.load`: 500 coroutines need as much time as the hook, and a response that waits
in the client counts as slow.
"""

import selectors
import socket
import time

from bench.reliability.client import TIMEOUT, Results

LARGEST = 256 * 1024
"""Bytes that are read at once. A response is smaller, and nothing follows it before the next request."""


class Sender:
    """A connection, the part of a response that has arrived, and when its request was sent."""

    def __init__(self, port: int, raw: bytes) -> None:
        self._port = port
        self._raw = raw
        self.open()

    def open(self) -> None:
        """Connect, and send the request."""
        self.socket = socket.create_connection(("127.0.0.1", self._port), TIMEOUT)
        self.send()

    def send(self) -> None:
        """Send the request."""
        self._arrived = b""
        self.begin = time.perf_counter()
        self.socket.sendall(self._raw)

    def receive(self, results: Results) -> bool:
        """Read what has arrived; a whole response is added to *results*. Return whether the connection stays open."""
        try:
            data = self.socket.recv(LARGEST)
        except OSError:
            data = b""
        self._arrived += data
        head, end, body = self._arrived.partition(b"\r\n\r\n")
        if not data:
            results.codes["failed"] += 1
            return False
        if not end or len(body) < int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]):
            return True
        results.add(head + end, time.perf_counter() - self.begin)
        if b"connection: close" in head.lower():
            return False
        self.send()
        return True


def flood(port: int, raw: bytes, seconds: float, senders: int) -> Results:
    """Send *raw* from so many *senders* for so many *seconds*. A request without a response after 10 s has failed."""
    results, end = Results(), time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for _ in range(senders):
            sender = Sender(port, raw)
            selector.register(sender.socket, selectors.EVENT_READ, sender)
        while time.monotonic() < end:
            for key, _ in selector.select(0.1):
                sender = key.data
                if not sender.receive(results):
                    selector.unregister(sender.socket)
                    sender.socket.close()
                    sender.open()
                    selector.register(sender.socket, selectors.EVENT_READ, sender)
        now = time.perf_counter()
        for key in selector.get_map().values():
            results.codes["failed"] += now - key.data.begin > TIMEOUT
            key.data.socket.close()
    return results
