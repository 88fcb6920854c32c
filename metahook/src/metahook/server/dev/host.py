"""The host that a browser asks for: *localhost* or an IP address, so that no other web page reads what hooks answer.

A page of ``evil.example`` can have its own name resolve to 127.0.0.1 (DNS rebinding). Then its requests reach this
server, and the browser lets it read the responses, because both have the same origin. Its Host header tells.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.server.refusal import Refusal

FOREIGN_HOST = Refusal(403, "a browser can call this server only at localhost or at an IP address")

_PORT = re.compile(r":[0-9]+\Z")


@dataclass(frozen=True)
class HostCheck:
    """Middleware: refuses a browser's request for another host. Metacontroller and curl may use any name."""

    app: ASGIApp
    refuse: Callable[[Refusal, str], Response]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        headers = Headers(scope=scope)
        is_refused = _is_from_browser(headers) and not is_local(headers.get("host", ""))
        await (self.refuse(FOREIGN_HOST, scope["path"]) if is_refused else self.app)(scope, receive, send)


def _is_from_browser(headers: Headers) -> bool:
    """Tell whether a browser sends the request. It sends Origin with each POST.

    A GET over HTTP may have neither header: it gets only pages, which are the same for each request.
    """
    return "origin" in headers or "sec-fetch-site" in headers


def is_local(host: str) -> bool:
    """Tell whether *host*, a Host header, is localhost or an IP address, with or without a port."""
    name = _PORT.sub("", host)
    return name.lower() == "localhost" or _is_ip_address(name.removeprefix("[").removesuffix("]"))


def _is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
