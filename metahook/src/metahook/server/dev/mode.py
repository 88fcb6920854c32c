"""Development mode as a whole: the app of hooks gets the log of calls, the pages, and the check of the host."""

import logging
from collections.abc import Callable, Mapping

from fastapi import FastAPI
from starlette.responses import Response

from metahook.protocol.controller import Hook
from metahook.server.dev.calls import log_calls
from metahook.server.dev.host import HostCheck
from metahook.server.dev.pages import add_pages
from metahook.server.dev.swagger_ui import find_files
from metahook.server.refusal import Refusal

log = logging.getLogger(__name__)


def turn_on(
    app: FastAPI, hooks: Mapping[str, Hook], health_port: int | None, refuse: Callable[[Refusal, str], Response]
) -> dict[str, Hook]:
    """Turn on development mode in *app*; return what to serve instead of the *hooks*, by path.

    *refuse* returns the response for a refusal of a request for a path.
    """
    app.add_middleware(HostCheck, refuse=refuse)
    add_pages(app, hooks, health_port, find_files())
    return turn_on_log(hooks)


def turn_on_log(hooks: Mapping[str, Hook]) -> dict[str, Hook]:
    """Return what to serve instead of the *hooks*, by path, in any app: the same, with the log of calls."""
    log.warning("development mode is on: the log shows names and the status of parents; do not use it in a cluster")
    return log_calls(hooks)
