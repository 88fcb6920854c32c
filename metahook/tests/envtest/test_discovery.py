"""Discovery without a control plane: which kinds are found, and when they are read again."""

from typing import Any

import httpx
import pytest

from metahook.envtest import UnknownKind
from metahook.envtest.client import Discovery, Served


def group(name: str, **versions: list[str]) -> dict[str, Any]:
    """Return a group with the kinds of each version."""
    return {
        "metadata": {"name": name} if name else {},
        "versions": [
            {"version": version, "resources": [resource(kind) for kind in kinds]} for version, kinds in versions.items()
        ],
    }


def resource(kind: str) -> dict[str, Any]:
    scope = "Cluster" if kind == "Namespace" else "Namespaced"
    return {"resource": f"{kind.lower()}s", "responseKind": {"kind": kind}, "scope": scope}


class ApiServer:
    """Serves the core group and *groups*, and counts how often it is asked."""

    def __init__(self, *groups: dict[str, Any]) -> None:
        self.groups = list(groups)
        self.reads = 0
        transport = httpx.MockTransport(self._answer)
        self.discovery = Discovery(httpx.Client(base_url="http://api", transport=transport))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.reads += request.url.path == "/api"
        core = [group("", v1=["ConfigMap", "Namespace", "Event"])]
        return httpx.Response(200, json={"items": core if request.url.path == "/api" else self.groups})


def test_a_kind_has_the_path_of_its_preferred_version() -> None:
    api = ApiServer(group("batch", v1=["Job"], v1beta1=["Job", "Old"]))

    assert api.discovery.served("Job") == Served("batch", "/apis/batch/v1", "jobs", namespaced=True)
    assert api.discovery.served("Old") == Served("batch", "/apis/batch/v1beta1", "olds", namespaced=True)
    assert api.discovery.served("Namespace") == Served("", "/api/v1", "namespaces", namespaced=False)


def test_the_core_group_goes_before_others_and_a_group_can_be_named() -> None:
    api = ApiServer(group("events.k8s.io", v1=["Event"]))

    assert api.discovery.served("Event").base == "/api/v1"
    assert api.discovery.served("Event.events.k8s.io").base == "/apis/events.k8s.io/v1"
    assert api.discovery.of({"apiVersion": "events.k8s.io/v1", "kind": "Event"}).group == "events.k8s.io"


def test_a_kind_of_two_groups_is_an_error_that_names_both() -> None:
    api = ApiServer(group("a.io", v1=["It"]), group("b.io", v1=["It"]))

    with pytest.raises(UnknownKind, match=r"^the API server serves several: It\.a\.io, It\.b\.io$"):
        api.discovery.served("It")


def test_kinds_are_read_once_and_again_for_an_unknown_one() -> None:
    api = ApiServer()
    api.discovery.served("ConfigMap")
    api.discovery.served("Namespace")
    assert api.reads == 1

    with pytest.raises(UnknownKind, match=r"^the API server serves no It$"):
        api.discovery.served("It")
    api.groups.append(group("a.io", v1=["It"]))

    assert api.discovery.served("It").base == "/apis/a.io/v1"
    assert api.reads == 3
