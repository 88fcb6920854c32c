"""An address outside of the cluster: real Ingresses and HTTPRoutes. Their status is written as by a controller."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from charts.rendering import rendered
from metahook.envtest.binaries import find_binaries
from metahook.envtest.cluster import establish, with_hooks_at
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster, started
from tests.e2e.gateway import accepted, crds
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.statuses import condition
from tests.e2e.watched import values

_NUMBERS = itertools.count(1)
GATEWAY: Json = {"name": "shared", "namespace": "gateways", "sectionName": "https"}
ADDRESS: Json = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster in which both kinds of routes are enabled, as the values of the chart enable them."""
    made = Cluster(find_binaries(), tmp_path_factory.mktemp("expose"))
    manifests = rendered({**values(secrets=False), "expose": {"ingress": True, "gateway": True}})
    with started(made):
        establish(made.client, crds())
        made.client.apply(yaml.safe_load(manifests["clusterrole-metacontroller.yaml"]))
        controller = yaml.safe_load(manifests["compositecontroller.yaml"])
        made.client.apply(with_hooks_at(made.url.removeprefix("http://"), controller))
        yield made


@pytest.fixture(name="running", scope="module")
def _running(cluster: Cluster, mode: Mode) -> Iterator[Cluster]:
    with started(cluster.metacontroller(mode)):
        yield cluster


@pytest.fixture(name="here")
def _here(running: Cluster) -> Iterator[Namespace]:
    made = Namespace(running, f"t{next(_NUMBERS)}")
    yield made
    made.close()


def exposed(host: str = "web.example.com", **fields: Any) -> Json:
    return {**PORT, "expose": {"host": host, **fields}}


def wait_for_exposed(here: Namespace, reason: str, name: str = "web") -> Json:
    """Wait until the condition Exposed of the current generation has *reason*, and return the status."""

    def holds() -> bool:
        item = here.get("MyResource", name)
        found = [each for each in item.get("status", {}).get("conditions", []) if each["type"] == "Exposed"]
        generation = item["metadata"]["generation"]
        return [(each["reason"], each["observedGeneration"]) for each in found] == [(reason, generation)]

    here.eventually(holds)
    here.wait_until_quiet()
    status: Json = here.get("MyResource", name)["status"]
    return status


def message(status: Json) -> str:
    found: str = condition({"status": status}, "Exposed")["message"]
    return found


def paths(here: Namespace) -> dict[str, list[str]]:
    """Return the paths of all Ingresses, by their names."""
    found = here.client.all("Ingress", here.name)
    return {
        item["metadata"]["name"]: [path["path"] for rule in item["spec"]["rules"] for path in rule["http"]["paths"]]
        for item in found
    }


def test_an_ingress_that_is_served_gives_the_address_and_nothing_is_written_at_rest(here: Namespace) -> None:
    here.ready(**exposed(className="nginx", path="/shop", tls={"secretName": "cert"}))
    wait_for_exposed(here, "NotYetAdmitted")
    assert here.touched().writes == []

    here.client.change("Ingress", here.name, "web", ADDRESS, part="/status")
    assert wait_for_exposed(here, "RouteAccepted")["url"] == "https://web.example.com/shop"
    assert here.touched().writes == []

    here.change(expose={"host": "new.example.com", "path": "/", "className": None, "tls": None})
    here.wait_until_ready()
    assert wait_for_exposed(here, "RouteAccepted")["url"] == "http://new.example.com/"
    assert paths(here) == {"web": ["/"]}
    assert here.get("Ingress")["spec"].keys() == {"rules"}
    assert here.touched().writes == []

    here.change(expose=None)
    here.wait_until_ready()
    assert paths(here) == {}
    assert "url" not in here.get("MyResource", "web")["status"]


def test_a_gateway_that_accepts_the_route_gives_the_address(here: Namespace) -> None:
    here.ready(**exposed(gateway=GATEWAY, tls={}))
    wait_for_exposed(here, "NotYetAdmitted")
    assert here.touched().writes == []

    def report(**statuses: str) -> None:
        here.client.change("HTTPRoute", here.name, "web", accepted(here.get("HTTPRoute"), **statuses), part="/status")

    report(Accepted="False")
    assert "Accepted is False, NotAllowedByListeners" in message(wait_for_exposed(here, "NotAccepted"))
    report()
    assert wait_for_exposed(here, "RouteAccepted")["url"] == "https://web.example.com/"
    assert here.touched().writes == []

    here.change(expose={"gateway": {"namespace": None, "sectionName": None}})
    here.wait_until_ready()
    wait_for_exposed(here, "NotYetAdmitted")
    assert [sorted(ref) for ref in here.get("HTTPRoute")["spec"]["parentRefs"]] == [["group", "kind", "name"]]
    assert here.touched().writes == []


def test_of_two_that_claim_a_host_one_waits_until_it_is_free(here: Namespace) -> None:
    here.ready("shop", **exposed())
    here.ready("web", **exposed())

    assert message(wait_for_exposed(here, "HostClaimed")).startswith("MyResource shop already has this host and path")
    assert paths(here) == {"shop": ["/"]}
    assert here.touched().writes == []
    here.ready("docs", **exposed(path="/docs"))
    assert paths(here) == {"shop": ["/"], "docs": ["/docs"]}

    here.delete("MyResource", "shop")
    wait_for_exposed(here, "NotYetAdmitted")
    assert paths(here) == {"web": ["/"], "docs": ["/docs"]}

    here.change("docs", expose={"path": "/"})
    wait_for_exposed(here, "HostClaimed", "docs")
    assert paths(here) == {"web": ["/"], "docs": ["/docs"]}  # it still serves its earlier address
    assert here.touched("docs").writes == []

    here.change("web", expose={"host": "other.example.com"})
    wait_for_exposed(here, "NotYetAdmitted", "docs")
    assert paths(here) == {"web": ["/"], "docs": ["/"]}
