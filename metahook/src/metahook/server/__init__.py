"""Serves controllers over HTTP: their hooks on one port, health and metrics on another.

The rule of this package: it translates, it does not decide. It reads a body within limits, gives it to the controller,
and sends the response. Anything else is a refusal, which holds nothing of the request.

    connections   what is read from a connection, and what is refused: sizes, memory, time
    callers       who may call: certificates and tokens, in files that may change
    hook          the call of the hook: ``hook_router``, for this server and for any other FastAPI app
    telemetry     what is logged and counted
    lifecycle     how the server starts and stops: ``serve``, the shutdown, the health port
    app           puts a FastAPI app together, with the routes of the hooks
    dev           development mode

``limits``, ``refusal`` and ``clock`` are what all of them use. Imports protocol.

This is the way of a request; ``lifecycle.server`` connects uvicorn with both ends of it, and ``app`` the middleware:

1. ``connections.connection`` checks the bytes that arrive, and passes them on to uvicorn, which parses them.
2. uvicorn calls the app behind ``connections.responses.on_connections``, through which the response goes back.
3. ``callers.tls.NameCheck``, ``callers.tokens.TokenCheck`` and ``connections.overload.OverloadCheck`` may refuse it.
4. The route of ``hook.router`` leads to ``hook.calls``, which reads the body, and calls the controller.

In your own app, the way starts at ``hook.router``.

This is also the door for another program that serves hooks: it imports each name at its first use.
"""

from typing import TYPE_CHECKING

from metahook.door import opener

if TYPE_CHECKING:
    from metahook.server.app import ServerOptions as ServerOptions
    from metahook.server.callers.tls import Certificates as Certificates
    from metahook.server.callers.tokens import TokenCheck as TokenCheck, Tokens as Tokens
    from metahook.server.callers.watched_files import CannotLoad as CannotLoad
    from metahook.server.clock import utc_now as utc_now
    from metahook.server.hook.router import hook_router as hook_router
    from metahook.server.lifecycle.address import Address as Address, CannotListen as CannotListen
    from metahook.server.lifecycle.serve import serve as serve
    from metahook.server.limits import DEFAULT_LIMITS as DEFAULT_LIMITS, MIB as MIB, Limits as Limits
    from metahook.server.telemetry.logs import (
        DEFAULT_LOG as DEFAULT_LOG,
        Format as Format,
        Level as Level,
        LogOptions as LogOptions,
        set_up_logging as set_up_logging,
    )
    from metahook.server.telemetry.metrics import CONTENT_TYPE as CONTENT_TYPE, Metrics as Metrics
    from metahook.server.telemetry.telemetry import Telemetry as Telemetry
else:
    _NAMES = {
        "app": ("ServerOptions",),
        "callers.tls": ("Certificates",),
        "callers.tokens": ("TokenCheck", "Tokens"),
        "callers.watched_files": ("CannotLoad",),
        "clock": ("utc_now",),
        "hook.router": ("hook_router",),
        "lifecycle.address": ("Address", "CannotListen"),
        "lifecycle.serve": ("serve",),
        "limits": ("DEFAULT_LIMITS", "MIB", "Limits"),
        "telemetry.logs": ("DEFAULT_LOG", "Format", "Level", "LogOptions", "set_up_logging"),
        "telemetry.metrics": ("CONTENT_TYPE", "Metrics"),
        "telemetry.telemetry": ("Telemetry",),
    }
    __all__ = [name for names in _NAMES.values() for name in names]
    __getattr__, __dir__ = opener(__name__, _NAMES, extra="server")
