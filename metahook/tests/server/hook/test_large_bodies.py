"""Bodies that are too large, to the server as a process."""

import http.client
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from toolkit.builders import MIB
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, WIDGETS, Served, served
from toolkit.served.refusals import error

PATIENCE = 120


@pytest.fixture(scope="module")
def hook() -> Iterator[Served]:
    with served() as running:
        yield running


def post(running: Served, body: bytes) -> httpx.Response:
    return retried(lambda: CLIENT.post(f"{running.url}/sync", content=body, headers=JSON, timeout=PATIENCE))


def retried(send: Callable[[], httpx.Response]) -> httpx.Response:
    """Return the response to *send*, which is called again after a 429, as by Metacontroller."""
    while (response := send()).status_code == httpx.codes.TOO_MANY_REQUESTS:
        time.sleep(int(response.headers["retry-after"]))
    return response


def test_a_client_that_sends_all_of_a_body_that_is_too_large_gets_the_refusal(hook: Served) -> None:
    """Go's client is one: it reads the response, and may lose it to a reset if the connection is closed meanwhile."""
    parts = urlsplit(hook.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)

    connection.request("POST", "/sync", b" " * (100 * MIB), JSON)
    response = connection.getresponse()

    assert (response.status, error(response.read())) == (413, "the request is too large")
    connection.close()


def test_the_limit_is_a_setting() -> None:
    with served(*WIDGETS, "--max-body=1") as running:
        assert post(running, b" " * MIB).status_code == 400
        assert post(running, b" " * (MIB + 1)).status_code == 413
        running.process.terminate()
        log = running.process.stderr.read() if running.process.stderr else ""

    assert '"status": 413, "error": "the request is too large", "limit": "max_body"' in log
