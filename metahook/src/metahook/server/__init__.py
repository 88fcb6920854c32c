"""Serves controllers over HTTP: their hooks on one port, health and metrics on another.

The rule of this package: it translates, it does not decide. It reads a body within limits, gives it to the controller,
and sends the response. Anything else is a refusal, which holds nothing of the request.

A request passes these layers, each a package of its own:

    wire        what is read from a connection, and what is refused: sizes, memory, time
    callers     who may call: certificates and tokens, in files that may change
    hook        the call of the hook: ``hook_router``, for this server and for any other FastAPI app
    telemetry   what is logged and counted

``lifecycle`` is how the server starts and stops: ``serve``, the shutdown, the health port.

:mod:`metahook.server.app` puts a FastAPI app together, with the routes of the hooks. :mod:`metahook.server.dev` is
development mode. ``limits``, ``refusal`` and ``clock`` are what all layers use.

To follow a request, start at :mod:`metahook.server.wire.connection`; to follow one in your own app, at
:mod:`metahook.server.hook.router`. Imports protocol.
"""
