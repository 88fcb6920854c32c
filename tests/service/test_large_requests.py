"""Large requests to the server as a process: they are answered in the memory of the chart, and others meanwhile."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import yaml

from tests.requests import large
from tests.service.operator import SERVE, served
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, Served
from toolkit.slow import short_or_whole

MIB = 1024 * 1024
VALUES = yaml.safe_load((Path(__file__).parents[2] / "charts" / "myresource-operator" / "values.yaml").read_text())
PATIENCE = 120
CALLERS = short_or_whole(2, 5)


@pytest.fixture(scope="module")
def hook() -> Iterator[Served]:
    with served(*SERVE, "--decide-timeout=300") as running:
        yield running


def post(running: Served, body: bytes) -> httpx.Response:
    return retried(lambda: CLIENT.post(f"{running.url}/sync", content=body, headers=JSON, timeout=PATIENCE))


def retried(send: Callable[[], httpx.Response]) -> httpx.Response:
    """Return the response to *send*, which is called again after a 429, as by Metacontroller."""
    while (response := send()).status_code == httpx.codes.TOO_MANY_REQUESTS:
        time.sleep(int(response.headers["retry-after"]))
    return response


def limit() -> int:
    """Return the MiB that the chart gives to the hook."""
    text: str = VALUES["resources"]["limits"]["memory"]
    return int(text.removesuffix("Mi"))


@pytest.mark.slow
@pytest.mark.parametrize("letter", short_or_whole(["x"], ["x", "é", "😀"]), ids=ascii)
def test_a_thousand_pods_and_sixteen_config_maps_are_answered_in_the_memory_of_the_chart(
    hook: Served, letter: str
) -> None:
    body = large.request(letter=letter)

    with ThreadPoolExecutor(CALLERS) as callers:
        answers = list(callers.map(lambda _: post(hook, body), range(CALLERS)))

    assert 25 * MIB < len(body) < VALUES["maxBody"] * MIB
    assert [answer.status_code for answer in answers] == [200] * CALLERS
    assert {answer.json()["status"]["conditions"][0]["reason"] for answer in answers} == {"CrashLooping"}
    assert hook.memory("VmHWM") < limit()
