"""Serves controllers on a free loopback port, in a thread of this process: a breakpoint in a hook works."""

import threading
import time
from types import TracebackType
from typing import Self

from metahook.envtest.process import PATIENCE
from metahook.server.app import Controllers, create_app
from metahook.server.server import Address, create_server


class HookServer:
    """Serves *controllers* until it is stopped; ``address`` is where, such as ``127.0.0.1:8080``."""

    def __init__(self, controllers: Controllers) -> None:
        self._socket = Address("127.0.0.1", 0).listen()
        host, port = self._socket.getsockname()
        self.address = f"{host}:{port}"
        self._server = create_server(create_app(controllers))
        self._thread = threading.Thread(target=self._run, name=f"hooks on {self.address}", daemon=True)

    def __enter__(self) -> Self:
        """Start, and wait until it listens."""
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > end:
                message = f"no hooks are served on {self.address}"
                raise TimeoutError(message)
            time.sleep(0.01)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, after the requests in flight."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        self._server.run([self._socket])
