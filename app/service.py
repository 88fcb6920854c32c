"""The service of the operator: its hooks as a FastAPI app, for :mod:`app.main` and ``myresource serve``."""

from collections.abc import Callable
from dataclasses import replace

from fastapi import FastAPI

from app.api import reading
from app.core.controller import controller
from app.core.desired.memo import GenerationMemo
from app.settings.serve import ServeSettings
from metahook import Handler
from metahook.server import create_app

reading.prepare()  # here, so that no request waits for it


def create(settings: ServeSettings, around: Callable[[str, Handler], Handler] | None = None) -> FastAPI:
    """Return the app of *settings*, in which *around* takes the handler of each path; raise ValueError."""
    options = replace(settings.server_options(), around=around)
    return create_app(controller(settings.watch, GenerationMemo()), options)
