"""The operator's sync hook as a short FastAPI app without limits: what an attack does to it shows that it is one."""

from typing import Any

import msgspec
from fastapi import FastAPI
from starlette.responses import Response

from app.core.controller import controller
from app.core.watch import Watch
from metahook.server.clock import utc_now

app = FastAPI()
hook = controller(Watch())


@app.post("/sync")
async def sync(body: dict[str, Any]) -> Response:
    """Respond to a sync request."""
    answer = hook.handle_sync(msgspec.json.encode(body), utc_now()).body
    return Response(answer, media_type="application/json")
