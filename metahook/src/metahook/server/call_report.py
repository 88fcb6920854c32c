"""The report of one call, from its headers to its response."""

from starlette.responses import Response

from metahook.protocol import Body, CustomizeRequest, MalformedRequest, Parent
from metahook.protocol.controller import Answer
from metahook.protocol.summary import Summary
from metahook.server.calls import OK, Call
from metahook.server.failure import where
from metahook.server.refusal import FAILED, Refusal
from metahook.server.reports import Reports


class CallReport:
    """Reports a call of *hook* once, when its response is known; not again if a thread decides another one later."""

    def __init__(self, reports: Reports, hook: str) -> None:
        self._reports = reports
        self._hook = hook
        self._begun = reports.timer()
        self._is_done = False
        self.request_bytes = 0
        """Of the body, once it is received."""

    def answered(self, answer: Answer) -> Response:
        """Report *answer*, and return it as a response."""
        response = Response(answer.body, OK, media_type="application/json")
        self._called(response, summary=answer.summary)
        return response

    def refused(self, refusal: Refusal) -> Response:
        """Report *refusal*, and return it as a response."""
        return self._refused(refusal, "", None)

    def failed(self, error: Exception, body: Body = b"") -> Response:
        """Report the *error* of the hook about the parent in *body*, and return the response."""
        return self._refused(FAILED, where(error), _try_parent(body))

    def _refused(self, refusal: Refusal, place: str, parent: Parent | None) -> Response:
        id_ = "" if self._is_done else self._reports.refused(self._hook, refusal, place)
        response = refusal.response(id_)
        self._called(response, refusal.limit, id_, parent=parent)
        return response

    def _called(
        self,
        response: Response,
        limit: str = "",
        id_: str = "",
        *,
        summary: Summary | None = None,
        parent: Parent | None = None,
    ) -> None:
        if self._is_done:
            return
        self._is_done = True
        sizes = (self.request_bytes, len(response.body))
        seconds = self._reports.timer() - self._begun
        self._reports.called(Call(self._hook, response.status_code, *sizes, seconds, limit, id_, summary, parent))


def _try_parent(body: Body) -> Parent | None:
    """Return the parent of the request *body*, or None."""
    try:
        return CustomizeRequest.decode(body).parent
    except MalformedRequest:
        return None
