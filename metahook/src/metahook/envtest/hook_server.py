"""Serves controllers on a free loopback port, in a thread of this process: a breakpoint in a hook works."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from metahook.envtest.process import PATIENCE
from metahook.server.app import Controllers, create_app
from metahook.server.options import Address
from metahook.server.serve import HookServer


@contextmanager
def hook_server(controllers: Controllers) -> Iterator[str]:
    """Serve *controllers* until the block ends, after the requests in flight; yield where, such as ``127.0.0.1:8080``.

    Raise TimeoutError if they are not served.
    """
    server = HookServer(create_app(controllers))
    with Address("127.0.0.1", 0).listen() as listener:
        host, port = listener.getsockname()
        address = f"{host}:{port}"
        thread = threading.Thread(target=server.run, args=([listener],), name=f"hooks on {address}", daemon=True)
        thread.start()
        try:
            end = time.monotonic() + PATIENCE
            while not server.started:
                if not thread.is_alive() or time.monotonic() > end:
                    message = f"no hooks are served on {address}"
                    raise TimeoutError(message)
                time.sleep(0.01)
            yield address
        finally:
            server.should_exit = True
            thread.join()
