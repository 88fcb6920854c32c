"""Routes: the requests to one hook, each decided and reported once."""

from dataclasses import dataclass
from datetime import datetime

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.protocol import Body, MalformedRequest, Parent, wire
from metahook.protocol.controller import Answer, Hook
from metahook.server.call_report import CallReport, try_parent
from metahook.server.clock import Clock
from metahook.server.failure import where
from metahook.server.recording import Exchange, RecordedResponse, Recorder
from metahook.server.refusal import (
    FAILED,
    INCOMPLETE,
    TOO_MANY_REQUESTS,
    Refusal,
    Refused,
    malformed,
)
from metahook.server.reports import Reports
from metahook.server.work import Work


@dataclass(frozen=True)
class _Decision:
    """What a hook decided *at* a time: an answer, or a refusal, with the *place* in the code and the parent."""

    at: datetime
    outcome: Answer | Refusal
    place: str = ""
    parent: Parent | None = None


@dataclass(frozen=True)
class Endpoint:
    """Decides about the bodies that are sent to *path*."""

    path: str
    hook: Hook
    clock: Clock

    def decide(self, body: Body) -> _Decision:
        """Return what the hook decides about *body*.

        Why nothing is reported here: a thread may decide after the request has got its refusal. Why nothing is raised:
        an error that a future or a task holds refers to it in turn, by its traceback, and keeps the body in memory
        until Python looks for such cycles.
        """
        now = self.clock()
        try:
            return _Decision(now, self.hook(body, now))
        except MalformedRequest as error:
            return _Decision(now, malformed(error))
        except Exception as error:  # noqa: BLE001 - innermost: one parent's bug must not close the connection
            return _Decision(now, FAILED, where(error), try_parent(body))


@dataclass(frozen=True)
class Route:
    """Reads the requests to an endpoint, within limits, and reports each of them once."""

    endpoint: Endpoint
    work: Work
    reports: Reports
    recorder: Recorder | None

    async def respond(self, request: Request) -> Response:
        """Return the response to *request*; whatever goes wrong is a refusal."""
        report = CallReport(self.reports, self.endpoint.path)
        try:
            decision = await self.work.do(request, self.endpoint.decide, report.received)
        except ClientDisconnect:
            return INCOMPLETE.response("")  # Why no report: the connection is closed, so this response is not sent
        except Refused as refused:
            return report.refused(refused.refusal)
        except Exception as error:  # noqa: BLE001 - whatever the endpoint does not catch
            return report.failed(error)
        return self._recorded(decision, report.body, _respond(report, decision))

    def _recorded(self, decision: _Decision, body: Body, response: Response) -> Response:
        """Return *response*, to be recorded if there is a recorder, and if the body is a request."""
        if self.recorder is None or response.status_code == wire.MALFORMED:
            return response
        exchange = Exchange(self.endpoint.path, decision.at, response.status_code, body, bytes(response.body))
        return RecordedResponse(response, self.recorder, exchange)


def _respond(report: CallReport, decision: _Decision) -> Response:
    """Return *decision* as a response, after its report."""
    if isinstance(decision.outcome, Refusal):
        return report.refused(decision.outcome, decision.place, decision.parent)
    return report.answered(decision.outcome)


@dataclass(frozen=True)
class FullCheck:
    """Middleware: refuses the calls of *hooks* while too many requests are in flight, before their bodies are read.

    Why here: under overload most requests are refused, so a refusal must cost little.
    """

    app: ASGIApp
    work: Work
    hooks: frozenset[str]
    reports: Reports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        is_refused = self.work.is_full and scope["type"] == "http" and scope["path"] in self.hooks
        respond = CallReport(self.reports, scope["path"]).refused(TOO_MANY_REQUESTS) if is_refused else self.app
        await respond(scope, receive, send)
