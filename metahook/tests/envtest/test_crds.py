"""CRDs and Events without a control plane: when a kind is served, and how often Metacontroller reported something."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from metahook.envtest import Refused
from metahook.envtest.client import Client
from metahook.envtest.cluster import establish
from metahook.envtest.control_plane import count_events

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "its.a.io"},
    "spec": {"group": "a.io", "names": {"kind": "It", "plural": "its"}},
}


def group(name: str, **plurals: str) -> dict[str, Any]:
    resources = [
        {"resource": plural, "responseKind": {"kind": kind}, "scope": "Cluster"} for kind, plural in plurals.items()
    ]
    return {"metadata": {"name": name}, "versions": [{"version": "v1", "resources": resources}]}


APIEXTENSIONS = group("apiextensions.k8s.io", CustomResourceDefinition="customresourcedefinitions")


def client(answer: Callable[[httpx.Request], httpx.Response], *groups: dict[str, Any]) -> Client:
    """Return a client of an API server that serves Events and *groups*."""
    served = {"/api": [group("", Event="events")], "/apis": list(groups)}

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path in served:
            return httpx.Response(200, json={"items": served[request.url.path]})
        return answer(request)

    return Client(httpx.Client(base_url="http://api", transport=httpx.MockTransport(handle)))


class Its:
    """The objects of the CRD, which are served after these status codes."""

    def __init__(self, *codes: int) -> None:
        self.codes = [*codes, 200]

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Accept each write, and list objects when they are served."""
        if request.method == "PATCH":
            return httpx.Response(201, json={})
        return httpx.Response(self.codes.pop(0), json={"items": []})


def test_a_crd_is_awaited_until_its_objects_are_served() -> None:
    its = Its(404, 404)

    establish(client(its.answer, APIEXTENSIONS, group("a.io", It="its")), [CRD])

    assert its.codes == []


def test_another_error_than_not_found_ends_the_wait() -> None:
    with pytest.raises(Refused, match=r"^403"):
        establish(client(Its(403).answer, APIEXTENSIONS, group("a.io", It="its")), [CRD])


def test_a_kind_that_is_never_served_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metahook.envtest.cluster.PATIENCE", 0.0)

    with pytest.raises(TimeoutError, match=r"^the API server does not serve It\.a\.io within 0 s$"):
        establish(client(Its().answer, APIEXTENSIONS), [CRD])


@pytest.mark.parametrize(
    ("events", "count"),
    [([], 0), ([{}], 1), ([{"count": None}], 1), ([{"count": 3}, {}], 4)],
    ids=["none", "without a count", "null", "several"],
)
def test_equal_events_are_one_with_a_count(events: list[dict[str, Any]], count: int) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        selector = "involvedObject.kind=CompositeController,involvedObject.name=it,reason=Stopped"
        assert request.url.params["fieldSelector"] == selector
        return httpx.Response(200, json={"items": events})

    assert count_events(client(answer), "it", "Stopped") == count
