import asyncio
import threading
from collections.abc import Iterator

import httpx
import pytest
from prometheus_client import Metric
from prometheus_client.registry import Collector

from metahook.server.lifecycle.health import create_health_app
from metahook.server.limits import Limits
from metahook.server.telemetry.metrics import Metrics
from toolkit.served.asgi import call

PATIENCE = 5
METRICS = Metrics(("/sync",), "1", Limits())
READY = create_health_app(lambda: True, METRICS)
NOT_READY = create_health_app(lambda: False, METRICS)


def test_readiness_is_what_it_is_told() -> None:
    ready, not_ready = (call(app, "/readyz", method="GET") for app in (READY, NOT_READY))

    assert (ready.status_code, ready.text) == (200, "ok\n")
    assert (not_ready.status_code, not_ready.text) == (503, "not ready\n")


@pytest.mark.parametrize(("stuck", "status"), [(False, 200), (True, 503)])
def test_a_process_that_is_stuck_is_not_alive(*, stuck: bool, status: int) -> None:
    app = create_health_app(lambda: True, METRICS, lambda: stuck)

    assert [call(app, path, method="GET").status_code for path in ("/livez", "/readyz")] == [status, 200]


def test_readiness_is_asked_each_time() -> None:
    answers = iter([False, True])
    app = create_health_app(lambda: next(answers), METRICS)

    assert [call(app, "/readyz", method="GET").status_code for _ in range(2)] == [503, 200]


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/other"])
def test_every_answer_says_how_long_it_is(path: str) -> None:
    response = call(NOT_READY, path, method="GET")

    assert int(response.headers["content-length"]) == len(response.content) > 0


def test_a_metric_of_the_hook_that_is_slow_holds_up_no_probe() -> None:
    is_alive = threading.Event()

    class Slow(Collector):
        """Counts something that takes a while."""

        def collect(self) -> Iterator[Metric]:
            """Return no metrics, once the probe has its answer."""
            assert is_alive.wait(PATIENCE)
            return iter(())

        def describe(self) -> Iterator[Metric]:
            """Return that there are none."""
            return iter(())

    app = create_health_app(lambda: True, Metrics(("/sync",), "1", Limits(), [Slow()]))

    async def probed() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://health") as client:
            scrape = asyncio.create_task(client.get("/metrics"))
            await asyncio.sleep(0.05)
            (await client.get("/livez")).raise_for_status()
            is_alive.set()
            return (await scrape).status_code

    assert asyncio.run(probed()) == 200
