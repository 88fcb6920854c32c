"""Requests that are made from the served OpenAPI document, by schemathesis, and the responses that it promises."""

from functools import cache
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.responses import JSONResponse

from metahook.server.app import create_app
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.slow import short_or_whole

# One check is left out: the document can't say all rules, such as that a group of each kind of children is required.

PATHS = ("/sync", "/customize")


@cache
def operation(app: FastAPI, path: str) -> APIOperation[Any, Any, Any, Any]:
    """Return what the document of *app* says of the hook at *path*."""
    return schemathesis.openapi.from_asgi("/openapi.json", app)[path]["POST"]


def check(app: FastAPI, path: str, examples: int) -> None:
    """Send requests to the hook at *path*; raise AssertionError if a response is not as the document says."""

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
    @given(case=operation(app, path).as_strategy())
    def send(case: Case[Any]) -> None:
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    send()


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_responses_are_as_the_document_says(path: str) -> None:
    check(create_app(MYRESOURCE, clock=lambda: NOW), path, short_or_whole(10, 5_000))


def test_a_response_that_breaks_its_schema_would_be_found() -> None:
    app = create_app(MYRESOURCE, clock=lambda: NOW)
    other = FastAPI()
    other.openapi = app.openapi  # type: ignore[method-assign] # the same document
    other.add_route("/sync", lambda _: JSONResponse({"children": None}), methods=["POST"])

    with pytest.raises(FailureGroup, match="distinct failure"):
        check(other, "/sync", 5)
