"""The FastAPI app, of the settings in the MYRESOURCE_* variables. ``myresource serve`` runs it with uvicorn.

Under any other server of ASGI it behaves the same, but for what only a server can do: addresses and TLS, with the names
in the certificates of clients; the number of connections; draining; health and metrics on a port of their own.
"""

import sys
from collections.abc import Callable
from dataclasses import replace

from fastapi import FastAPI

from app.core.controller import controller
from app.core.desired.memo import GenerationMemo
from app.settings.option import InvalidSetting, read, variable_of
from app.settings.serve import ServeSettings
from metahook import Handler
from metahook.server import create_app, set_up_logging


def create(settings: ServeSettings, around: Callable[[str, Handler], Handler] | None = None) -> FastAPI:
    """Return the app of *settings*, in which *around* takes the handler of each path; raise ValueError."""
    options = replace(settings.server_options(), around=around)
    return create_app(controller(settings.watch, GenerationMemo()), options)


try:
    settings = read(ServeSettings)
    app = create(settings)
except InvalidSetting as error:
    sys.exit(f"myresource: Invalid value for {variable_of(error.name)}: {error}")
except ValueError as error:
    sys.exit(f"myresource: {error}")
set_up_logging(settings.log)  # other servers set up only their own
