"""The sync hook of Widgets as a short FastAPI app without limits: what an attack does to it shows that it is one."""

import socket
import sys
from typing import Any

import msgspec
import uvicorn
from fastapi import FastAPI
from starlette.responses import Response

from metahook.clock import utc_now
from toolkit.widgets import WIDGETS

UNPROTECTED = (sys.executable, "-c", "from toolkit.served.unprotected import main; main()")
"""Serves it with uvicorn's own protocol and settings."""

app = FastAPI()


@app.post("/sync")
async def sync(body: dict[str, Any]) -> Response:
    """Respond to a sync request."""
    answer = WIDGETS.handle_sync(msgspec.json.encode(body), utc_now()).body
    return Response(answer, media_type="application/json")


@app.get("/readyz")
async def ready() -> None:
    """Say that the hook is served."""


def main() -> None:
    """Serve at both ports."""
    ports = [int(option.partition("=")[2]) for option in sys.argv[1:]]
    sockets = [socket.create_server(("127.0.0.1", port)) for port in ports]
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets)
