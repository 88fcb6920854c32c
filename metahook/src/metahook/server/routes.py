"""Routes: the requests to one hook, each answered and reported once.

A small request that has arrived completely is answered in its connection, unless it must wait, be recorded or be
refused for its token or headers. The app answers all others, and all requests in development mode
and during the shutdown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from metahook.protocol import wire
from metahook.protocol.request import Body, Parent
from metahook.server.body import Headers
from metahook.server.calls import OK, Call
from metahook.server.endpoint import Decision, Endpoint, try_parent
from metahook.server.failure import where
from metahook.server.recording import Exchange, RecordedResponse, Recorder
from metahook.server.refusal import FAILED, INCOMPLETE, TOO_MANY_REQUESTS, Refusal, Refused
from metahook.server.reports import Reports
from metahook.server.tokens import Tokens
from metahook.server.work import Start, Work

_JSON = (b"content-type", b"application/json")


class _JsonResponse(Response):
    """A response with an answer. Why a class: Starlette takes 3 us to build the same headers."""

    def __init__(self, body: bytes) -> None:
        self.status_code, self.body, self.background = OK, body, None
        self.raw_headers = [(b"content-length", b"%d" % len(body)), _JSON]


class CallReport:
    """Reports a call of the hook at *path*, and returns its response.

    *head_at* is the time of its head, by default now.
    """

    def __init__(self, reports: Reports, path: str, head_at: float | None = None, body: Body = b"") -> None:
        self._reports = reports
        self._path = path
        self._head_at = reports.timer() if head_at is None else head_at
        self.body = body
        """Empty until it is received."""

    def received(self, body: Body) -> None:
        """Note that the *body* of the request is received."""
        self.body = body

    def respond_decided(self, decision: Decision) -> Response:
        """Report *decision*, and return it as a response."""
        outcome = decision.outcome
        if isinstance(outcome, Refusal):
            return self.respond_refused(outcome, decision.place, decision.parent)
        response = _JsonResponse(outcome.body)
        self._report(response, summary=outcome.summary, is_remembered=decision.is_remembered)
        return response

    def respond_failed(self, error: Exception) -> Response:
        """Report the *error*, and return the response."""
        return self.respond_refused(FAILED, where(error))

    def respond_refused(self, refusal: Refusal, place: str = "", parent: Parent | None = None) -> Response:
        """Report *refusal*, and return it as a response. *place* is where in the code the hook failed."""
        # Why not for all: other refusals are of the sender, who may send many, and decoding takes time.
        if refusal.status >= FAILED.status:
            parent = parent or try_parent(self.body)
        id_ = self._reports.count_refusal(self._path, refusal, place)
        response = refusal.response(id_)
        self._report(response, limit=refusal.limit, id=id_, parent=parent)
        return response

    def _report(self, response: Response, **fields: Any) -> None:  # noqa: ANN401 - fields of a call
        seconds = self._reports.timer() - self._head_at
        sizes = (len(self.body), len(response.body))
        self._reports.called(Call(self._path, response.status_code, *sizes, seconds, **fields))


@dataclass(frozen=True)
class Route:
    """Answers the requests to an endpoint, within limits, and reports each of them once."""

    endpoint: Endpoint
    work: Work
    reports: Reports
    recorder: Recorder | None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*."""
        response = await self._response(Request(scope, receive))
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        """Return the response to *request*; whatever goes wrong is a refusal."""
        report = CallReport(self.reports, self.endpoint.path)
        try:
            decision = await self.work.do(request, self.endpoint.decide, report.received)
        except ClientDisconnect:
            return INCOMPLETE.response("")  # Why no report: the connection is closed, so this response is not sent
        except Refused as refused:
            return report.respond_refused(refused.refusal)
        except Exception as error:  # noqa: BLE001 - whatever the endpoint does not catch
            return report.respond_failed(error)
        return self._recorded(decision, report.body, report.respond_decided(decision))

    def try_respond(self, headers: Headers, body: Body, head_at: float) -> Response | None:
        """Return the response to a request that has arrived completely; None if the app must respond to it.

        *head_at* is the time of its head.
        """
        if self.recorder:
            return None
        report = CallReport(self.reports, self.endpoint.path, head_at, body)
        match self.work.try_start(headers, body):
            case Start.NOW:
                return self._decided(report)
            case Start.LATER:
                return None
            case Start.REFUSED:
                return report.respond_refused(TOO_MANY_REQUESTS)

    def _decided(self, report: CallReport) -> Response:
        """Return the decision about the body of *report*; an error in it is a refusal."""
        try:
            return report.respond_decided(self.endpoint.decide(report.body))
        except Exception as error:  # noqa: BLE001 - whatever the endpoint does not catch
            return report.respond_failed(error)

    def _recorded(self, decision: Decision, body: Body, response: Response) -> Response:
        """Return *response*, to be recorded if there is a recorder, and if the body is a request."""
        if self.recorder is None or response.status_code == wire.MALFORMED:
            return response
        exchange = Exchange(self.endpoint.path, decision.at, response.status_code, body, bytes(response.body))
        return RecordedResponse(response, self.recorder, exchange)


@dataclass(frozen=True)
class Routes:
    """The routes of all hooks, by path. It tells which requests are calls of hooks."""

    by_path: Mapping[str, Route]
    tokens: Tokens | None

    def find(self, scope: Scope) -> Route | None:
        """Return the route of the request of *scope*, or None if it is no call of a hook."""
        is_call = scope["type"] == "http" and scope["method"] == "POST"
        return self.by_path.get(scope["path"]) if is_call else None

    def try_respond(self, scope: Scope, body: Body, head_at: float) -> Response | None:
        """Return the response to a request that has arrived completely; None if the app must respond to it."""
        route = self.find(scope)
        if route is None or not (self.tokens is None or self.tokens.accept(scope["headers"])):
            return None
        return route.try_respond(scope["headers"], body, head_at)


@dataclass(frozen=True)
class HookCalls:
    """Middleware: responds to the calls of hooks. Why not the app's router: it takes longer than some decisions."""

    app: ASGIApp
    routes: Routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of *scope*, or let the app do it."""
        await (self.routes.find(scope) or self.app)(scope, receive, send)
