from fastapi import FastAPI, Request, Response
from app.core.controller import controller
from app.core.watch import Watch
from app.settings import Settings, read
from metahook import Memo
from metahook.server.clock import utc_now
import os
C = controller(read(Settings).watch, Memo() if not os.environ.get("NOMEMO") else None)
app = FastAPI()

@app.post("/sync")
async def sync(request: Request) -> Response:
    return Response(C.answer_sync(await request.body(), utc_now()), media_type="application/json")
