"""What requests may take: a setting for each limit of the server. docs/reliability.md has the table."""

from dataclasses import fields
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from app.settings.option import CONFIG, Option
from metahook.protocol.wire import MIB
from metahook.server.limits import DEFAULT_LIMITS as DEFAULT
from metahook.server.limits import KIB, Limits

Seconds = Annotated[int, Field(ge=1, le=600), Option("SECONDS")]


class LimitSettings(BaseSettings):
    """The limits, by the names that they have in the server."""

    model_config = CONFIG

    max_body: Annotated[int, Field(ge=1, le=256), Option("MIB")] = DEFAULT.max_body // MIB
    """Maximum size of a request, in MiB. Memory use grows with it: see docs/operate.md."""
    max_head: Annotated[int, Field(ge=1, le=1024), Option("KIB")] = DEFAULT.max_head // KIB
    """Maximum size of the request line and the headers, in KiB."""
    max_headers: Annotated[int, Field(ge=8, le=1024)] = DEFAULT.max_headers
    """Maximum number of headers."""
    max_url: Annotated[int, Field(ge=64, le=65536), Option("BYTES")] = DEFAULT.max_url
    """Maximum length of the URL, in bytes."""
    max_connections: Annotated[int, Field(ge=10, le=100000)] = DEFAULT.max_connections
    """Maximum number of connections."""
    max_large_bodies: Annotated[int, Field(ge=1, le=64)] = DEFAULT.max_large_bodies
    """Maximum number of requests over 1 MiB that are in memory at the same time. Each additional one needs more memory:
    see docs/operate.md."""
    max_in_flight: Annotated[int, Field(ge=1, le=100000)] = DEFAULT.max_in_flight
    """Maximum number of requests that are received and not yet answered. Others get 429 and are sent again later."""
    handshake_timeout: Seconds = int(DEFAULT.handshake_timeout)
    """Time for a TLS handshake, in seconds."""
    idle_timeout: Seconds = int(DEFAULT.idle_timeout)
    """Time until a new connection sends its first byte, in seconds."""
    head_timeout: Seconds = int(DEFAULT.head_timeout)
    """Time to receive the request line and the headers, in seconds."""
    body_timeout: Seconds = int(DEFAULT.body_timeout)
    """Time to receive the body of a request, in seconds."""
    decide_timeout: Seconds = int(DEFAULT.decide_timeout)
    """Time to compute the response to a request over 256 KiB, in seconds."""
    write_timeout: Seconds = int(DEFAULT.write_timeout)
    """Time to send the response, in seconds."""
    keep_alive: Annotated[int, Field(ge=91, le=3600), Option("SECONDS")] = int(DEFAULT.keep_alive)
    """Time for which a connection stays open after a request, in seconds. A client in Go uses it for up to 90."""

    @property
    def limits(self) -> Limits:
        """Return the limits of the server."""
        values = {field.name: getattr(self, field.name) for field in fields(Limits)}
        return Limits(**{**values, "max_body": self.max_body * MIB, "max_head": self.max_head * KIB})
