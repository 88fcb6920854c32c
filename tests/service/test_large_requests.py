"""Large requests to the server as a process: they are answered in the memory of the chart, and others meanwhile."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import yaml

from metahook.protocol.request_builder import sync_request
from tests.requests import large
from tests.requests.builders import finished, grouped, my_resource
from tests.requests.watched_objects import config_map, related
from tests.service.operator import SERVE, served
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, Served
from toolkit.served.refusals import error
from toolkit.slow import short_or_whole

MIB = 1024 * 1024
VALUES = yaml.safe_load((Path(__file__).parents[2] / "charts" / "myresource-operator" / "values.yaml").read_text())
PATIENCE = 120
CALLERS = short_or_whole(2, 5)
SMALL = sync_request(my_resource(), grouped(), {})


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


def most_memory(running: Served) -> int:
    """Return the most bytes that the process has had in memory."""
    lines = Path(f"/proc/{running.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def limit() -> int:
    """Return the bytes that the chart gives to the hook."""
    text: str = VALUES["resources"]["limits"]["memory"]
    return int(text.removesuffix("Mi")) * MIB


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
    assert most_memory(hook) < limit()


def many_keys(config_maps: int = short_or_whole(4, 8)) -> bytes:
    """Return a request that costs much CPU and memory for each byte: tiny keys of objects with long names."""
    names = [f"c{number}".ljust(200, "x") for number in range(config_maps)]
    keys = {f"{number:x}": "" for number in range(140_000)}
    parent = my_resource(envFrom=[{"configMapRef": {"name": name}} for name in names])
    return sync_request(parent, grouped(*finished(parent)), related(*(config_map(name, **keys) for name in names)))


def test_a_request_of_tiny_objects_is_refused_before_it_takes_memory(hook: Served) -> None:
    """One with as many variables as fit took 858 MiB, and 1.4 s in which health was not answered."""
    body = sync_request(my_resource(), grouped(), {})
    deployment = b'{"metadata":{"name":"web-deployment","namespace":"default"},"spec":[' + b"{}," * (10 * MIB) + b"{}]}"
    body = body.replace(b'"Deployment.apps/v1":{}', b'"Deployment.apps/v1":{"default/web":' + deployment + b"}")

    with ThreadPoolExecutor(2) as callers:
        answers = list(callers.map(lambda _: post(hook, body), range(2)))

    assert {error(answer.content) for answer in answers} == {
        "the objects in the body would take more than 192 MiB of memory"
    }
    assert [answer.status_code for answer in answers] == [400, 400]
    assert most_memory(hook) < limit()


class Worst:
    """Three requests of the costliest kind: two are worked on at once, as soon as their last bytes are sent."""

    def __init__(self, running: Served) -> None:
        self._running = running
        self._sent = threading.Semaphore(0)
        self._go = threading.Event()
        self.is_answered = threading.Event()
        self.statuses: list[int] = []

    @contextmanager
    def worked_on(self) -> Iterator[None]:
        """Have them worked on while the block runs; all are answered when it ends."""
        body = many_keys()
        threads = [threading.Thread(target=self._post, args=(body,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(2):
            assert self._sent.acquire(timeout=PATIENCE)
        self._go.set()
        yield
        for thread in threads:
            thread.join(PATIENCE)

    def _post(self, body: bytes) -> None:
        headers = {**JSON, "content-length": str(len(body))}
        url = f"{self._running.url}/sync"
        response = retried(lambda: CLIENT.post(url, content=self._halves(body), headers=headers, timeout=PATIENCE))
        self.is_answered.set()
        self.statuses.append(response.status_code)

    def _halves(self, body: bytes) -> Iterator[bytes]:
        yield body[:-1]
        self._sent.release()
        self._go.wait(PATIENCE)
        yield body[-1:]


def answered_meanwhile(running: Served) -> int:
    """Return how many rounds of others are answered while the worst requests are worked on, before one of them is."""
    worst, rounds = Worst(running), 0
    with worst.worked_on():
        while not worst.is_answered.is_set():
            CLIENT.get(f"{running.health_url}/livez", timeout=PATIENCE).raise_for_status()
            post(running, SMALL).raise_for_status()
            rounds += 1
    assert worst.statuses == [200] * 3
    return rounds


ENOUGH = 4


def test_health_and_others_are_answered_while_long_requests_are_worked_on(hook: Served) -> None:
    assert answered_meanwhile(hook) > ENOUGH


"""A service that works on all requests in its event loop, which then reads no body in time either."""
