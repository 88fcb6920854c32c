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
    """Reports a call of *hook* when its response is known."""

    def __init__(self, reports: Reports, hook: str) -> None:
        self._reports = reports
        self._hook = hook
        self._begun = reports.timer()
        self.body: Body = b""
        """Empty until it is received."""

    def received(self, body: Body) -> None:
        """Note that the *body* of the request is received."""
        self.body = body

    def answered(self, answer: Answer) -> Response:
        """Report *answer*, and return it as a response."""
        response = Response(answer.body, OK, media_type="application/json")
        self._called(response, summary=answer.summary)
        return response

    def failed(self, error: Exception) -> Response:
        """Report the *error*, and return the response."""
        return self.refused(FAILED, where(error))

    def refused(self, refusal: Refusal, place: str = "", parent: Parent | None = None) -> Response:
        """Report *refusal*, and return it as a response. *place* is where in the code the hook failed."""
        # Why not for all: other refusals are of the sender, who may send many, and decoding takes time.
        if refusal.status >= FAILED.status:
            parent = parent or try_parent(self.body)
        id_ = self._reports.refused(self._hook, refusal, place)
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
        sizes = (len(self.body), len(response.body))
        seconds = self._reports.timer() - self._begun
        self._reports.called(Call(self._hook, response.status_code, *sizes, seconds, limit, id_, summary, parent))


def try_parent(body: Body) -> Parent | None:
    """Return the parent of the request *body*, or None."""
    try:
        return CustomizeRequest.decode(body).parent
    except MalformedRequest:
        return None
