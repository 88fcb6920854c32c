"""The address of a listener."""

import socket
from dataclasses import dataclass

RECEIVE_BUFFER = 32 * 1024
"""Bytes that arrive ahead for a connection, and as many again for the kernel's own use. With TLS each of them is in
memory three times before its request is read, of strangers too; without this bound these are 256 KiB each."""


@dataclass(frozen=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    def listen(self) -> socket.socket:
        """Return a listening socket; raise CannotListen."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            listener = socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            reason = (error.strerror or "not an address").partition(" (while")[0].lower()
            raise CannotListen(self, reason) from error
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)  # also of the connections it accepts
        return listener


class CannotListen(Exception):
    """Raised when an address can't be listened on. Its text says which, and why."""

    def __init__(self, address: Address, reason: str) -> None:
        super().__init__(f"can't listen on {address.host} port {address.port}: {reason}")
        self.address = address
