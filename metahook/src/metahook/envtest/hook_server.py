"""Serves controllers on a free loopback port, in a thread of this process: a breakpoint in a hook works."""

import threading
import time
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from metahook.envtest.process import PATIENCE
from metahook.server.app import create_app
from metahook.server.hook.router import Controllers
from metahook.server.lifecycle.address import Address
from metahook.server.lifecycle.server import create_server


class HookServer:
    """Serves *controllers* until the block ends; within it, ``address`` is where, such as ``127.0.0.1:8080``."""

    address: str

    def __init__(self, controllers: Controllers) -> None:
        self._server = create_server(create_app(controllers))
        self._running = ExitStack()

    def __enter__(self) -> Self:
        """Start, and wait until it listens; raise TimeoutError if it does not."""
        with ExitStack() as started:
            listener = started.enter_context(Address("127.0.0.1", 0).listen())
            host, port = listener.getsockname()
            self.address = f"{host}:{port}"
            name = f"hooks on {self.address}"
            thread = threading.Thread(target=self._server.run, args=([listener],), name=name, daemon=True)
            thread.start()
            started.callback(self._stop, thread)
            self._wait(thread)
            self._running = started.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, after the requests in flight."""
        self._running.close()

    def _wait(self, thread: threading.Thread) -> None:
        end = time.monotonic() + PATIENCE
        while not self._server.started:
            if not thread.is_alive() or time.monotonic() > end:
                message = f"no hooks are served on {self.address}"
                raise TimeoutError(message)
            time.sleep(0.01)

    def _stop(self, thread: threading.Thread) -> None:
        self._server.should_exit = True
        thread.join()
