"""Serves controllers over HTTP, with FastAPI and uvicorn: their hooks on one port, health and metrics on another.

It translates, it does not decide. It reads a body within limits, gives it to the handler of the controller, and sends
the response. Anything else is a refusal, which holds nothing of the request. Imports protocol.

This is the way of a request:

1. ``serve`` runs uvicorn, whose protocol parses the request; ``callers`` has the certificates that it shows.
2. ``app`` is the FastAPI app: the middleware ``callers.CallerCheck`` may refuse; a route of ``hook_router`` leads to
3. ``calls``, which reads the body, calls the handler, in the event loop or in a thread, and responds.

``refusals`` are the responses other than 200, ``telemetry`` counts and logs both, ``logs`` writes the lines, and
``options`` has the limits and all else that can be set. In your own app, the way starts at ``hook_router``.
"""

from metahook.clock import utc_now as utc_now
from metahook.server.app import Controllers as Controllers
from metahook.server.app import create_app as create_app
from metahook.server.app import hook_router as hook_router
from metahook.server.callers import CallerCheck as CallerCheck
from metahook.server.callers import CannotLoad as CannotLoad
from metahook.server.callers import Certificates as Certificates
from metahook.server.callers import Tokens as Tokens
from metahook.server.logs import set_up_logging as set_up_logging
from metahook.server.options import DEFAULT_LIMITS as DEFAULT_LIMITS
from metahook.server.options import DEFAULT_LOG as DEFAULT_LOG
from metahook.server.options import MIB as MIB
from metahook.server.options import Address as Address
from metahook.server.options import CannotListen as CannotListen
from metahook.server.options import Format as Format
from metahook.server.options import Level as Level
from metahook.server.options import Limits as Limits
from metahook.server.options import LogOptions as LogOptions
from metahook.server.options import ServerOptions as ServerOptions
from metahook.server.serve import run as run
from metahook.server.serve import serve as serve
from metahook.server.telemetry import CONTENT_TYPE as CONTENT_TYPE
from metahook.server.telemetry import Metrics as Metrics
from metahook.server.telemetry import Telemetry as Telemetry
