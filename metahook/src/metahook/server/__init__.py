"""Serves controllers over HTTP, with FastAPI and uvicorn: their hooks on one port, health and metrics on another.

It translates, it does not decide. It reads a body within limits, gives it to the handler of the controller, and sends
the response. Anything else is a refusal, which holds nothing of the request. Imports protocol.

This is the way of a request:

1. ``serve`` runs uvicorn, whose protocol parses the request; ``callers`` has the certificates that it shows.
2. ``app`` is the FastAPI app: the middleware ``callers.CallerCheck`` may refuse; a route that ``app`` adds leads to
3. ``calls``, which reads the body, calls the handler, in the event loop or in a thread, and responds.

``refusals`` are the responses other than 200, ``telemetry`` counts and logs both, ``logs`` writes the lines, and
``options`` has the limits and all else that can be set. In your own app, the way starts at ``hook_router``.
"""

from metahook import extras

with extras.named("server", __name__):
    from metahook.clock import utc_now as utc_now
    from metahook.server.app import Controllers as Controllers, create_app as create_app, hook_router as hook_router
    from metahook.server.callers import (
        CallerCheck as CallerCheck,
        CannotLoad as CannotLoad,
        Certificates as Certificates,
        Tokens as Tokens,
    )
    from metahook.server.logs import set_up_logging as set_up_logging
    from metahook.server.options import (
        DEFAULT_LIMITS as DEFAULT_LIMITS,
        DEFAULT_LOG as DEFAULT_LOG,
        MIB as MIB,
        Address as Address,
        CannotListen as CannotListen,
        Format as Format,
        Level as Level,
        Limits as Limits,
        LogOptions as LogOptions,
        ServerOptions as ServerOptions,
    )
    from metahook.server.serve import run as run, serve as serve
    from metahook.server.telemetry import CONTENT_TYPE as CONTENT_TYPE, Metrics as Metrics, Telemetry as Telemetry
