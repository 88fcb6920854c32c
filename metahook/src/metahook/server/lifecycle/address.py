"""The address of a listener."""

import socket
from dataclasses import dataclass


@dataclass(frozen=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    def listen(self) -> socket.socket:
        """Return a listening socket; raise CannotListen."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            reason = (error.strerror or "not an address").partition(" (while")[0].lower()
            raise CannotListen(self, reason) from error


class CannotListen(Exception):
    """Raised when an address can't be listened on. Its text says which, and why."""

    def __init__(self, address: Address, reason: str) -> None:
        super().__init__(f"can't listen on {address.host} port {address.port}: {reason}")
        self.address = address
