"""Direct responses: a connection that responds to complete requests itself.

That leaves out the task, the messages and the middleware of an app, which cost more than the decision of a small hook.
The app responds to all other requests: it reads large bodies, lets requests wait, and records them.
:mod:`metahook.server.routes` decides which requests get a direct response.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any

from starlette.responses import Response
from starlette.types import Scope
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from metahook.protocol.request import Body
from metahook.server.connection import Connection
from metahook.server.deadline import Deadline
from metahook.server.work import LONG

REST_TIMEOUT = 0.005
"""Seconds for which the rest of a body is waited for before the app is called: Go sends 4 KiB, and then the rest."""

TryRespond = Callable[[Scope, Body, float], Response | None]
"""Returns the response to a complete request, whose head was complete at a time; None if the app must respond."""


class DirectConnection(Connection):
    """A connection that responds directly if *try_respond* can, and else calls the app."""

    def __init__(self, *args: Any, try_respond: TryRespond, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
        super().__init__(*args, **options)
        self._try_respond = try_respond
        self._pending_app: ASGI3Application | None = None
        """The app, while the request has neither a direct response nor a call of the app."""
        self._head_at = 0.0
        """When the head of the request was complete."""
        self._rest_deadline = Deadline(self.loop)

    def data_received(self, data: bytes) -> None:
        """Parse *data*, and respond if a request is complete."""
        super().data_received(data)
        if self._pending_app is None:
            return
        if self.cycle.disconnected:  # it is refused
            self._forget_app()
        elif self.cycle.more_body and self._try_wait_for_rest():
            self.flow.resume_reading()
        elif self.cycle.more_body or not self._try_respond_now():
            self._call_app()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._pending_app = None
        self._rest_deadline.end()
        super().connection_lost(exc)

    def _start_asgi_task(self, _: RequestResponseCycle, app: ASGI3Application) -> None:
        """Note the *app*. Why not call it: the body is parsed after the head, and may have arrived with it."""
        self._pending_app = app
        self._head_at = monotonic()

    def _try_wait_for_rest(self) -> bool:
        """Wait for the rest of the body if possible; tell whether it was done.

        Only for a client that has got a 200: this memory counts towards no limit.
        """
        if not self._connections.trusts(self) or self.cycle.waiting_for_100_continue or len(self.cycle.body) > LONG:
            return False
        if not self._rest_deadline.is_set:
            self._rest_deadline.set(REST_TIMEOUT, self._call_app)
        return True

    def _try_respond_now(self) -> bool:
        """Respond directly, before anything else happens, if possible; tell whether it was done."""
        cycle = self.cycle
        if cycle.waiting_for_100_continue or self.flow.write_paused:
            return False
        response = self._try_respond(cycle.scope, cycle.body, self._head_at)  # type: ignore[arg-type] # a TypedDict
        if response is None:
            return False
        self._forget_app()
        self._note(cycle, response.status_code)
        cycle.response_started = cycle.response_complete = True
        self.transport.write(self._encoded(response))
        if not cycle.keep_alive:
            self.transport.close()
        self.on_response_complete()
        # Why: uvicorn does the same after a call of the app. The cycle and the connection refer to each other.
        cycle.on_response = lambda: None
        return True

    def _encoded(self, response: Response) -> bytes:
        """Return *response* as uvicorn sends it."""
        headers = [*self.server_state.default_headers, *response.raw_headers]
        if not self.cycle.keep_alive:
            headers.append((b"connection", b"close"))
        head = b"".join(b"%b: %b\r\n" % header for header in headers)
        return b"%b%b\r\n%b" % (STATUS_LINE[response.status_code], head, bytes(response.body))

    def _call_app(self) -> None:
        """Have the app respond."""
        app = self._pending_app
        if app:
            self._forget_app()
            super()._start_asgi_task(self.cycle, app)

    def _forget_app(self) -> None:
        self._pending_app = None
        self._rest_deadline.remove()
