"""Serves HTTP for a command to call."""

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from metahook.simulator.hook import Reply


@contextmanager
def serving(answer: Callable[[bytes], Reply | None]) -> Iterator[str]:
    """Respond to each POST as *answer* does to its body, and give the URL. Without a reply the connection is closed."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            reply = answer(self.rfile.read(int(self.headers["Content-Length"])))
            if reply is None:
                return
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(reply.body)))
            if reply.retry_after is not None:
                self.send_header("Retry-After", str(reply.retry_after))
            self.end_headers()
            with suppress(OSError):  # the command stops reading
                self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
            """Print nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
