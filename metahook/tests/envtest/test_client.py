"""The client without a control plane: what it makes of an API server's errors."""

from collections.abc import Callable

import httpx
import pytest

from metahook.envtest import Refused
from metahook.envtest.client import Client

CONFIG_MAPS = {"resource": "configmaps", "responseKind": {"kind": "ConfigMap"}, "scope": "Namespaced"}
CORE = {"metadata": {}, "versions": [{"version": "v1", "resources": [CONFIG_MAPS]}]}


def client(answer: httpx.Response) -> Client:
    """Return a client of an API server that serves ConfigMaps, and responds to each request for them with *answer*."""

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path in ("/api", "/apis"):
            return httpx.Response(200, json={"items": [CORE] if request.url.path == "/api" else []})
        return answer

    return Client(httpx.Client(base_url="http://api", transport=httpx.MockTransport(handle)))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda status: httpx.Response(status, json={"kind": "Status", "message": "no"}), id="a Status"),
        pytest.param(lambda status: httpx.Response(status, text="no\n"), id="plain text"),
        pytest.param(lambda status: httpx.Response(status, json="no"), id="another JSON"),
    ],
)
@pytest.mark.parametrize("status", [409, 429, 503])
def test_an_error_is_refused_with_its_status_and_message(answer: Callable[[int], httpx.Response], status: int) -> None:
    with pytest.raises(Refused, match=f'^{status}: "?no"?$') as refused:
        client(answer(status)).all("ConfigMap")

    assert refused.value.status == status


def test_an_object_that_is_not_found_is_none_also_if_plain_text_says_so() -> None:
    assert client(httpx.Response(404, text="404 page not found\n")).get("ConfigMap", "default", "it") is None


def test_an_answer_without_an_error_is_returned() -> None:
    assert client(httpx.Response(200, json={"items": [{"metadata": {}}]})).all("ConfigMap") == [{"metadata": {}}]
