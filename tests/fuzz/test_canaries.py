"""Canaries: nothing of a request, except for the identity of its parent, is in the log or in an error."""

import json
import logging
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from metahook.server.app import ServerOptions, create_app
from metahook.server.limits import Limits
from metahook.server.telemetry.logs import Format
from metahook.server.telemetry.telemetry import Telemetry
from tests.docs.documents import ROOT
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.mutations import places, replaced
from toolkit.served.asgi import JSON, call
from toolkit.served.log import FORMATS, written
from toolkit.slow import short_or_whole

CANARY = "canary-7d1b"

REQUESTS = [
    json.loads((ROOT / f"examples/requests/{name}.json").read_text())
    for name in ("3-rolling-out", "6-bad-image", "ready")
]
IDENTITY = {("parent", "kind"), *(("parent", "metadata", name) for name in ("name", "namespace", "uid", "generation"))}


def canaries(body: Any, path: tuple[Any, ...] = ()) -> Any:
    """Return *body* with a canary for each text, except for the identity of the parent; keys that are names, too."""
    if path in IDENTITY:
        return body
    if isinstance(body, dict):
        return {key: canaries(value, (*path, key)) for key, value in body.items()}
    if isinstance(body, list):
        return [canaries(item, (*path, index)) for index, item in enumerate(body)]
    return CANARY if isinstance(body, str) else body


def second(value: Any, _: Any) -> Any:
    """Return *value*, whatever it replaces."""
    return value


def hostile(count: int, seed: int) -> Iterator[bytes]:
    """Yield *count* requests with canaries: in all texts, in one place of any type, cut, or with a canary for a key."""
    chance = random.Random(seed)  # noqa: S311 - a test that can be repeated
    for number in range(count):
        request = chance.choice(REQUESTS)
        whole = canaries(request)
        path = chance.choice([path for path in places(request) if path and path not in IDENTITY])
        value = chance.choice([CANARY, [CANARY], {CANARY: CANARY}, {"a": {CANARY: None}}])
        body = json.dumps(replaced(whole, path, partial(second, value)) if number % 3 else whole).encode()
        yield body[: chance.randrange(len(body))] if number % 5 == 0 else body


OTHERS: list[dict[str, Any]] = [
    {"path": f"/{CANARY}?{CANARY}={CANARY}"},
    {"path": "/sync", "method": "DELETE"},
    {"path": "/sync", "content": CANARY.encode() * 100_000},
    {"path": "/sync", "headers": {"content-type": CANARY, "x-word": CANARY, "authorization": f"Bearer {CANARY}"}},
    {"path": "/sync", "headers": {**JSON, "content-encoding": CANARY}},
    {"path": f"/sync?{CANARY}", "headers": {**JSON, "host": CANARY, "user-agent": CANARY}, "content": b"{}"},
]


def replies(count: int, seed: int) -> Iterator[tuple[int, str]]:
    """Yield the status of each response to hostile requests, and its headers and its body if it is an error."""
    options = ServerOptions(Limits(max_body=200_000))
    app = create_app(MYRESOURCE, options, clock=lambda: NOW, telemetry=Telemetry(log_rate=1e9))
    syncs = [{"path": "/sync", "content": body} for body in hostile(count, seed)]
    for request in [*syncs, *({"path": "/customize", "content": body} for body in hostile(count // 10, seed)), *OTHERS]:
        response = call(app, **request)
        yield response.status_code, "" if response.is_success else f"{response.headers}{response.text}"


@pytest.mark.slow
def test_nothing_of_a_request_is_in_the_log_or_in_an_error(random_seed: int) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)  # the client's
    with written("json") as lines, written("console") as text:
        answers = list(replies(short_or_whole(300, 5_000), random_seed))

    assert {status for status, _ in answers} == {200, 400, 404, 405, 413, 415}
    assert [answer for _, answer in answers if CANARY in answer] == []
    for log in (lines, text):
        assert [line for line in log.text().splitlines() if CANARY in line] == []
        assert log.text().count("hook called") > 100


@pytest.mark.parametrize("format_", FORMATS)
def test_a_log_that_repeats_an_error_would_be_found(format_: Format) -> None:
    with written(format_) as log:
        logging.getLogger("careless").error("hook failed", exc_info=KeyError(CANARY))

    assert CANARY in log.text()
