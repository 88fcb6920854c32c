"""How controllers are served: the limits of requests, the log, who may call, and how the server stops."""

import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from metahook import __version__
from metahook.protocol.bodies import MAX_BODY, MIB

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from metahook.protocol.controller import Handler
    from metahook.server.callers import Certificates, Tokens

KIB = 1024


@dataclass(frozen=True)
class Limits:
    """What requests may take, with values that suit a Metacontroller with some thousand parents.

    Sizes are in bytes, times in seconds. A limit has the same name in settings, logs and metrics. Those that depend on
    the hook can be set; the others depend on Metacontroller and on Go's client, and are constants.
    """

    max_body: int = MAX_BODY
    max_connections: int = 800
    """Requests on those beyond get 503."""
    max_in_flight: int = 64
    """Hook calls that are received and not yet answered. Those beyond get 429."""
    body_timeout: float = 5
    """Counted from when the hook starts to read the body, with the time that a large one waits for its place. Half of a
    hook call's timeout: a request that waits for a slow one is still answered in time."""
    decide_timeout: float = 8
    """Until a thread has decided, with the time until one is free. The function goes on: a thread can't be stopped."""

    spare_connections: ClassVar[int] = 100
    """Beyond max_connections. Those beyond these are closed at once, so that file descriptors are left for probes: many
    systems allow a process 1024."""
    head_timeout: ClassVar[float] = 10
    """From the first byte of a request to the end of its headers. A hook call's timeout: its caller is gone then."""
    write_timeout: ClassVar[float] = 10
    """For which a client reads nothing of a response, before its connection ends. A hook call's timeout, too."""
    scrape_timeout: ClassVar[float] = 10
    """Until the metrics are collected, those of the hook, too. Prometheus' own default."""
    keep_alive: ClassVar[int] = 120
    """Longer than the 90 s for which Metacontroller keeps an idle connection: a request that is sent into a connection
    just being closed fails, and is not repeated."""


LIMIT_NAMES = tuple(Limits.__annotations__)
"""Those of all limits, of which some are constants."""

DEFAULT_LIMITS = Limits()
"""The limits of a server that is given none."""

Format = Literal["auto", "json", "console"]
"""How a line of the log is written; auto is console on a terminal, and else json."""
Level = Literal["debug", "info", "warning", "error"]
"""The least important lines that are written."""


@dataclass(frozen=True)
class LogOptions:
    """What is logged, and how."""

    format: Format = "auto"
    level: Level = "info"
    """Calls that fail, are slow or change the reason of Ready have a line at level info; the others at debug."""


DEFAULT_LOG = LogOptions()
"""The log of a server that is given no options."""


@dataclass(frozen=True)
class ServerOptions:
    """How controllers are served."""

    limits: Limits = DEFAULT_LIMITS
    log: LogOptions = DEFAULT_LOG
    """What is logged, and how, unless logging is set up already."""
    drain: float = 5
    """Seconds for which requests are still served after SIGTERM. Ctrl-C stops without it."""
    stop_timeout: float = 12
    """Seconds after that for requests in progress; a hook call takes at most 10."""
    certificates: "Certificates | None" = None
    """Serve the hooks over TLS; None over plain HTTP."""
    tokens: "Tokens | None" = None
    """Serve the hooks to callers with a token; None to everyone."""
    version: str = __version__
    """The hook's version, for the OpenAPI document."""
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Settings that differ from their defaults, without secrets: for the first line of the log."""
    around: "Callable[[str, Handler], Handler] | None" = None
    """What is served in place of the handler at a path, such as one that logs calls for a developer, who then needs no
    line of the log for each call."""
    collectors: "tuple[Collector, ...]" = ()
    """The hook's own metrics, of prometheus_client, made with ``registry=None``; served beside those of metahook."""


DEFAULT_OPTIONS = ServerOptions()


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
        if sys.platform == "linux":  # the connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(Limits.write_timeout * 1000))
        return listener


class CannotListen(Exception):
    """Raised when an address can't be listened on. Its text says which, and why."""

    def __init__(self, address: Address, reason: str) -> None:
        super().__init__(f"can't listen on {address.host} port {address.port}: {reason}")
        self.address = address


__all__ = ["DEFAULT_LIMITS", "DEFAULT_LOG", "DEFAULT_OPTIONS", "KIB", "LIMIT_NAMES", "MIB"]
