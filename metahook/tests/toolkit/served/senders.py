"""Many clients in one plain loop: each keeps its connection, and sends a request when it has the last response.

There are no coroutines: 500 of them need as much time as the hook, and a response that waits in the client counts as
slow.
"""

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

TIMEOUT = 10
"""Seconds, as Metacontroller's."""
LARGEST = 256 * 1024
"""Bytes that are read at once. A response is smaller, and nothing follows it before the next request."""

MOST_MEMORY = 200
"""MiB that the hook of Widgets may take while it is attacked: 2.7 times as much as the 75 MiB that were measured."""


def request(body: bytes, *headers: str) -> bytes:
    """Return a sync request with *body* as it is sent."""
    lines = ["POST /sync HTTP/1.1", "Host: hook", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


@dataclass
class Results:
    """How requests ended: how often with each status code, or "failed"; and how long each 200 took, in seconds."""

    codes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    """The heads of the responses other than 200."""

    def add(self, head: bytes, seconds: float) -> None:
        """Add a response with this *head* that took so many *seconds*."""
        code = head.split(b" ", 2)[1].decode()
        self.codes[code] += 1
        if code == "200":
            self.seconds.append(seconds)
        else:
            self.heads.append(head)

    def percentile(self, share: float) -> float:
        """Return in milliseconds how long that share of the 200s took at most."""
        ordered = sorted(self.seconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 if ordered else float("inf")


class Sender:
    """A connection, the part of a response that has arrived, and when its request was sent."""

    def __init__(self, port: int, following: Callable[[], bytes | bytearray]) -> None:
        self._port = port
        self._following = following
        self.open()

    def open(self) -> None:
        """Connect, and send a request."""
        self.socket = socket.create_connection(("127.0.0.1", self._port), TIMEOUT)
        self.send()

    def send(self) -> None:
        """Send the next request."""
        self._arrived = b""
        raw = self._following()
        self.begin = time.perf_counter()
        self.socket.sendall(raw)

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


def send(
    port: int,
    following: Callable[[], bytes | bytearray],
    *,
    senders: int,
    seconds: float = float("inf"),
    least: int = 0,
    times: float = float("inf"),
) -> Results:
    """Send the *following* requests from so many *senders*, for so many *seconds* and until at *least* so many have a
    response, or until so many *times*.

    A request without a response after 10 s has failed; one that is still on its way at the end counts as none.
    """
    results, end = Results(), time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for _ in range(senders):
            sender = Sender(port, following)
            selector.register(sender.socket, selectors.EVENT_READ, sender)
        while (time.monotonic() < end or results.codes.total() < least) and results.codes.total() < times:
            for key, _ in selector.select(0.1):
                sender = key.data
                if not sender.receive(results):
                    selector.unregister(sender.socket)
                    sender.socket.close()
                    sender.open()
                    selector.register(sender.socket, selectors.EVENT_READ, sender)
        now = time.perf_counter()
        for key in selector.get_map().values():
            if now - key.data.begin > TIMEOUT:
                results.codes["failed"] += 1
            key.data.socket.close()
    return results
