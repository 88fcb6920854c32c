"""Overload: refuses the requests over the limit, in the order in which they arrive."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.connections.connections import count_call
from metahook.server.refusal import TOO_MANY_REQUESTS, Refusal


@dataclass(frozen=True)
class OverloadCheck:
    """Middleware: refuses calls of the hooks at *paths* that are over the limit, before their bodies are read.

    Under overload these are most of the requests, so they are refused before the app spends time on them. *refuse*
    returns the response of a refusal to a request for a path.
    """

    app: ASGIApp
    paths: Collection[str]
    refuse: Callable[[Refusal, str], ASGIApp]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        # It runs after the checks of callers: strangers take nothing from those who may call.
        is_call = scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self.paths
        is_refused = is_call and not await count_call(scope)
        await (self.refuse(TOO_MANY_REQUESTS, scope["path"]) if is_refused else self.app)(scope, receive, send)
