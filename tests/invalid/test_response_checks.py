"""Negative controls: what the tests of bad input look for is found where it is."""

import json
from collections.abc import Callable
from datetime import datetime

from fastapi import FastAPI

from app.core.desired.children import CHILDREN, LATER_CHILDREN
from metahook import Controller, SyncRequest, SyncResponse
from metahook.server.app import create_app
from tests.invalid.mutations import MADE
from tests.invalid.response_checks import faults
from tests.requests.builders import MYRESOURCE, NOW

BODY = json.dumps(MADE).encode()

Decision = Callable[[SyncRequest, datetime], SyncResponse]


def forgetful(request: SyncRequest, now: datetime) -> SyncResponse:
    """Leave the children out."""
    return SyncResponse(status=MYRESOURCE.sync(request, now).status)


def served_by(decide: Decision) -> FastAPI:
    return create_app(Controller(sync=decide, children=CHILDREN, optional_kinds=LATER_CHILDREN), clock=lambda: NOW)


def test_a_missing_deployment_is_found() -> None:
    assert faults(served_by(forgetful), "/sync", {"request": BODY}) == {"request": ["the Deployment is missing"]}
