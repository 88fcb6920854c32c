"""Overload: refuses the requests over the limit, in the order in which they arrive."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.connections.connection import connection_of
from metahook.server.refusal import TOO_MANY_REQUESTS, Refusal


@dataclass(frozen=True)
class OverloadCheck:
    """Middleware: refuses calls of the hooks at *paths* that are over the limit, before their bodies are read.

    Under overload these are most of the requests, so they are refused before the app spends time on them. *refuse*
    returns the response of a refusal to a request for a path. Only our server counts.
    """

    app: ASGIApp
    paths: Collection[str]
    refuse: Callable[[Refusal, str], ASGIApp]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        respond = self.app
        # It runs after the checks of callers: strangers take nothing from those who may call.
        is_call = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self.paths
        if is_call and (connection := connection_of(scope)):
            connection.count_call()
            if connection.is_crowded and not connection.is_over_limit:
                await asyncio.sleep(0)  # all that have arrived by now are counted before one of them is decided about
            if connection.is_over_limit:
                respond = self.refuse(TOO_MANY_REQUESTS, scope["path"])
        await respond(scope, receive, send)
