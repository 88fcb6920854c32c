"""The comparison: what it prints of made-up samples, and that it measures nothing but answers of a hook."""

import json
from datetime import UTC, datetime

import pytest
from fastapi import FastAPI

from bench.comparison.__main__ import Rounds, Sample, ratio, verdict
from bench.comparison.bodies import BODIES, body
from bench.comparison.servers import FASTAPI, HOOK, PLAIN_ROUTE
from bench.peers import fastapi_models, plain_route
from tests.requests.builders import MYRESOURCE
from toolkit.served.asgi import call

STATES = {"2 KB": "Building", "6 KB": "Ready", "200 KB": "Ready"}


def rounds(*hook: float) -> Rounds:
    """Return rounds in which the hook took so many microseconds, and the others 100."""
    others = {PLAIN_ROUTE: Sample(100, 1), FASTAPI: Sample(100, 1)}
    return [{HOOK: Sample(cpu, cpu / 100), **others} for cpu in hook]


@pytest.mark.parametrize("size", BODIES)
def test_a_request_has_the_size_of_its_name_and_the_hook_is_at_rest_for_each_myresource(size: str) -> None:
    """Nothing is left to write, so that a response does not depend on the time: except that no child is there yet."""
    request = json.loads(body(size, 7))
    answer = json.loads(MYRESOURCE.handle_sync(body(size, 7), datetime(2026, 11, 1, tzinfo=UTC)).body)

    assert len(body(size, 7)) / 1000 == pytest.approx(int(size.removesuffix(" KB")), rel=0.1)
    assert "web0007" in request["parent"]["metadata"]["name"]
    assert answer["status"]["state"] == STATES[size]
    if size != "2 KB":
        assert {"observedGeneration": 1, **answer["status"]} == {"observedGeneration": 1, **request["parent"]["status"]}
        assert "resyncAfterSeconds" not in answer


@pytest.mark.parametrize("size", BODIES)
@pytest.mark.parametrize("app", [plain_route.app, fastapi_models.app], ids=["plain route", "FastAPI"])
def test_each_peer_answers_with_the_deployment_and_its_state(app: FastAPI, size: str) -> None:
    answer = call(app, "/sync", body(size, 1)).json()

    assert answer["status"]["state"] == STATES[size]
    assert answer["children"][0]["metadata"]["name"] == "web0001-deployment"


@pytest.mark.parametrize(("cpu", "words"), [(160, "1.60 x the CPU of FastAPI, within 1.6 x"), (161, "NOT within")])
def test_the_bound_is_met_up_to_its_ratio_and_not_beyond(cpu: float, words: str) -> None:
    assert words in verdict("6 KB changed", ratio(rounds(100, cpu, 200), FASTAPI), FASTAPI, 1.6)
