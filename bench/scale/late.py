"""The hook, which answers later than it could: ``python -m bench.scale.late 50 serve``, in milliseconds."""

import asyncio
import sys
from unittest import mock

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

import app.cli.serve as command
from app import cli
from metahook.server import Address, run


class Late:
    """Lets each request wait, while others are answered."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait, then answer."""
        if scope["type"] == "http":
            await asyncio.sleep(self._seconds)
        await self._app(scope, receive, send)


def main() -> None:
    """Run the command of the operator, which serves the hook behind Late."""
    seconds = int(sys.argv.pop(1)) / 1000

    def run_late(hook: FastAPI, hooks_at: Address, health_at: Address) -> None:
        hook.add_middleware(Late, seconds=seconds)
        run(hook, hooks_at, health_at)

    with mock.patch.object(command, "run", run_late):
        cli.main()


if __name__ == "__main__":
    main()
