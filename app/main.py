"""The app, for ``uvicorn app.main:app``. It reads the MYRESOURCE_* variables.

Those for what the server does have no effect here: host and ports; max_connections and max_in_flight; drain and
stop_timeout. Those for TLS and for development mode are refused.

A cluster needs ``myresource serve``: it has health on a port of its own, and keeps connections for as long as
Metacontroller uses them.
"""

from fastapi import FastAPI

from app import __version__
from app.cli.environment import settings_for_another_server, tokens_of
from app.core.controller import controller
from app.core.desired.memo import GenerationMemo
from metahook.server import TokenCheck, hook_router

settings = settings_for_another_server()
tokens = tokens_of(settings)

app = FastAPI(
    title="MyResource operator",
    version=__version__,
    docs_url=None,  # the page would load its scripts from another server
    redoc_url=None,
)
app.include_router(hook_router(controller(settings.watch, GenerationMemo()), limits=settings.limits))
if tokens:
    app.add_middleware(TokenCheck, tokens=tokens)
