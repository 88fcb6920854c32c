"""Endpoints: a remembered answer is the one that would be decided, and is reported as any other."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from metahook import Body, Controller
from metahook.protocol.controller import Answer, Hook
from metahook.server.app import ServerOptions, create_app
from metahook.server.endpoint import OVERHEAD, Answers, Endpoint
from metahook.server.limits import Limits
from metahook.server.metrics import Metrics
from metahook.server.refusal import FAILED
from metahook.server.reports import Reports
from metahook.server.routes import CallReport
from tests.build import MYRESOURCE, NOW
from tests.calling import post_all
from tests.logged import written
from tests.tiny import TINY, customize_body, sync_body
from tests.traffic import load

BODY = sync_body()


class Counted:
    """A hook that counts its calls; the time does not change its answers if it *is_timeless*."""

    def __init__(self, *, is_timeless: bool = True) -> None:
        self.is_timeless = is_timeless
        self.calls = 0

    def __call__(self, body: Body, now: datetime) -> Answer:
        """Return the answer of TINY."""
        self.calls += 1
        return replace(TINY.call_sync(body, now), is_timeless=self.is_timeless)


def endpoint(hook: Hook, *times: datetime) -> Endpoint:
    """Return an endpoint whose clock shows *times*, one after the other."""
    clock = iter(times or (NOW,) * 99)
    return Endpoint("/sync", hook, lambda: next(clock), Answers())


def test_the_answer_to_the_same_bytes_is_remembered() -> None:
    hook = Counted()
    decides = endpoint(hook)

    first, second = decides.decide(BODY), decides.decide(bytearray(BODY))

    assert isinstance(first.outcome, Answer)
    assert isinstance(second.outcome, Answer)
    assert (first.outcome.body, hook.calls) == (second.outcome.body, 1)
    assert (first.is_remembered, second.is_remembered) == (False, True)


def test_the_answer_to_other_bytes_is_decided() -> None:
    hook = Counted()
    decides = endpoint(hook)

    for body in (BODY, BODY + b" "):
        decides.decide(body)

    assert hook.calls == 2


def test_an_answer_that_time_changes_is_not_remembered() -> None:
    hook = Counted(is_timeless=False)
    decides = endpoint(hook)

    for _ in range(2):
        decides.decide(BODY)

    assert hook.calls == 2


def test_an_answer_is_not_remembered_for_a_time_before_it() -> None:
    hook = Counted()
    decides = endpoint(hook, NOW, NOW - timedelta(seconds=1), NOW - timedelta(seconds=1))

    assert [decides.decide(BODY).is_remembered for _ in range(3)] == [False, False, True]
    assert hook.calls == 2


def test_a_refusal_is_not_remembered() -> None:
    decides = endpoint(MYRESOURCE.call_sync)

    assert [decides.decide(b"{}").is_remembered for _ in range(2)] == [False, False]


def test_each_path_has_its_own_answers() -> None:
    answers, hooks = Answers(), [Counted(), Counted()]
    for path, hook in zip(("/one", "/two"), hooks, strict=True):
        Endpoint(path, hook, lambda: NOW, answers).decide(BODY)

    assert [hook.calls for hook in hooks] == [1, 1]


def test_a_remembered_answer_holds_nothing_of_the_request_but_names() -> None:
    """It is counted with its body and a constant, which would be wrong with the spec and the status."""
    decides = endpoint(MYRESOURCE.call_sync)
    body = sync_body(children={"Deployment.apps/v1": {}, "Service.v1": {}}, padding="x" * 100_000)
    timeless = replace(decides, hook=lambda body, now: replace(MYRESOURCE.call_sync(body, now), is_timeless=True))

    timeless.decide(body)
    remembered = timeless.decide(body)

    assert remembered.is_remembered
    assert isinstance(remembered.outcome, Answer)
    summary = remembered.outcome.summary
    assert (summary.parent.spec, summary.parent.status, summary.parent.created) == (b"", b"", None)
    assert len(repr(summary)) < OVERHEAD


class Panic(BaseException):
    """As a library in Rust raises it."""


@pytest.mark.parametrize("error", [Panic, SystemExit, MemoryError])
def test_an_error_of_any_kind_is_a_refusal(error: type[BaseException]) -> None:
    def panic(_: Body, __: datetime) -> Answer:
        raise error

    decision = endpoint(panic).decide(BODY)

    assert decision.outcome is FAILED


def test_the_app_remembers_what_customize_answers_and_development_mode_does_not() -> None:
    def remembered(options: ServerOptions) -> int:
        metrics = Metrics(["/sync", "/customize"], "1", Limits())
        post_all(create_app(TINY, options, reports=Reports(metrics=metrics)), "/customize", [customize_body()] * 3)
        return metrics.text().decode().count('metahook_remembered_answers_total{hook="/customize"} 2.0')

    assert (remembered(ServerOptions()), remembered(ServerOptions(dev=True))) == (1, 0)


# All recorded traffic


def requests() -> list[tuple[str, bytes]]:
    """Return the paths and bodies of recorded requests in any order, most of them more than once."""
    recorded = [(each.path, each.body) for each in load()] * 3
    random.Random(18).shuffle(recorded)  # noqa: S311 - the same order each time
    return recorded


def timeless(hook: Hook) -> Hook:
    """Return *hook* for a clock that stands: then no answer depends on time."""
    return lambda body, now: replace(hook(body, now), is_timeless=True)


def endpoints(controller: Controller, answers: Answers | None) -> dict[str, Endpoint]:
    hooks = {"/sync": controller.call_sync, "/customize": lambda body, _: controller.call_customize(body)}
    return {path: Endpoint(path, timeless(hook), lambda: NOW, answers) for path, hook in hooks.items()}


def outcome(answers: Answers | None) -> tuple[list[tuple[int, bytes]], str, list[str]]:
    """Return the responses to the recorded requests, the log, and the metrics without those that tell the two apart."""
    metrics = Metrics(["/sync", "/customize"], "1", Limits())
    reports = Reports(1e9, metrics=metrics, timer=lambda: 0.0)
    served = endpoints(MYRESOURCE, answers)
    with written("json") as log:
        found = [
            CallReport(reports, path, 0, body).respond_decided(served[path].decide(body)) for path, body in requests()
        ]
        text = log.text()
    return (
        [(each.status_code, bytes(each.body)) for each in found],
        text,
        list(counted(metrics.text().decode().splitlines())),
    )


def counted(lines: Iterable[str]) -> Iterator[str]:
    """Yield the *lines* of metrics that count calls."""
    for line in lines:
        if line.startswith("metahook_") and "remembered" not in line:
            yield line


def without_times(log: str) -> list[str]:
    return [line.partition(", ")[2] for line in log.splitlines()]


def test_responses_log_and_metrics_are_the_same_for_remembered_answers() -> None:
    answers = Answers()

    responses, log, metrics = outcome(answers)
    expected_responses, expected_log, expected_metrics = outcome(None)

    assert (responses, metrics) == (expected_responses, expected_metrics)
    assert without_times(log) == without_times(expected_log)
    assert len(log.splitlines()) >= len(responses) > 100
    assert all(
        endpoint.decide(body).is_remembered
        for path, body in requests()
        for endpoint in [endpoints(MYRESOURCE, answers)[path]]
    )


def test_an_answer_that_is_remembered_wrongly_would_be_found() -> None:
    class Confused(Answers):
        """A memo that takes all requests of a path for the same."""

        def get(self, key: Any) -> Any:
            return super().get(key[0])

        def put(self, key: Any, value: Any, size: int) -> None:
            super().put(key[0], value, size)

    assert outcome(Confused()) != outcome(None)
