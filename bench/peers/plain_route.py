"""A plain route of FastAPI with the controller of this operator: what the server of this hook adds to it.

``uvicorn bench.peers.plain_route:app --loop uvloop --http httptools``
"""

from fastapi import FastAPI, Request, Response

from app.core.controller import controller
from app.core.desired.memo import GenerationMemo
from app.settings.option import read
from app.settings.watch import WatchSettings
from metahook.clock import utc_now

CONTROLLER = controller(read(WatchSettings).watch, GenerationMemo())

app = FastAPI()


@app.post("/sync")
async def sync(request: Request) -> Response:
    """Respond to a sync request."""
    return Response(CONTROLLER.handle_sync(await request.body(), utc_now()).body, media_type="application/json")
