import pytest

from metahook.server.lifecycle.health import create_health_app
from metahook.server.limits import Limits
from metahook.server.telemetry.metrics import Metrics
from tests.served.asgi import call

METRICS = Metrics(("/sync",), "1", Limits())
READY = create_health_app(lambda: True, METRICS)
NOT_READY = create_health_app(lambda: False, METRICS)


def test_readiness_is_what_it_is_told() -> None:
    ready, not_ready = (call(app, "/readyz", method="GET") for app in (READY, NOT_READY))

    assert (ready.status_code, ready.text) == (200, "ok\n")
    assert (not_ready.status_code, not_ready.text) == (503, "not ready\n")


def test_readiness_is_asked_each_time() -> None:
    answers = iter([False, True])
    app = create_health_app(lambda: next(answers), METRICS)

    assert [call(app, "/readyz", method="GET").status_code for _ in range(2)] == [503, 200]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/other"])
def test_every_answer_says_how_long_it_is(path: str) -> None:
    response = call(NOT_READY, path, method="GET")

    assert int(response.headers["content-length"]) == len(response.content) > 0
