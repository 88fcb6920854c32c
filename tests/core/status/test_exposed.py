from typing import Any

import pytest

from tests.requests.builders import Json, condition, finished, my_resource, owned, reason, sync

ADDRESS = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
GATEWAY = {"name": "shared", "namespace": "gateways", "sectionName": "https"}


def exposed(**expose: Any) -> Json:
    return my_resource(ports=[{"containerPort": 80}], expose={"host": "web.example.com", **expose})


def answer_to(parent: Json, status: Json | None, **metadata: Any) -> Json:
    """Return the answer once all is there, and the route has *status*."""
    routes = {"Ingress", "HTTPRoute"}
    children = finished(parent)
    return sync(
        parent,
        *[item for item in children if item["kind"] not in routes],
        *[{**owned(item, parent, **metadata), "status": status} for item in children if item["kind"] in routes],
    )


def said(answer: Json) -> tuple[str, str]:
    found = condition(answer, "Exposed")
    return found["status"], found["reason"]


def accepted(states: Json | None = None, *, generation: int = 1, ref: Json | None = None) -> Json:
    """Return the status of an HTTPRoute with the *states* of its conditions, which are True by default."""
    states = {"Accepted": "True", "ResolvedRefs": "True", **(states or {})}
    conditions = [
        {"type": name, "status": status, "reason": "Because", "message": "10 of 11", "observedGeneration": generation}
        for name, status in states.items()
    ]
    parent = {"parentRef": GATEWAY if ref is None else ref, "controllerName": "a/b", "conditions": conditions}
    return {"parents": [parent]}


@pytest.mark.parametrize("status", [None, {}, {"loadBalancer": {}}, {"loadBalancer": {"ingress": []}}], ids=str)
def test_an_ingress_without_an_address_is_not_served_yet_and_ready_does_not_wait_for_it(status: Json | None) -> None:
    answer = answer_to(exposed(), status)

    assert said(answer) == ("Unknown", "NotYetAdmitted")
    assert "spec.expose.className" in condition(answer, "Exposed")["message"]
    assert "url" not in answer["status"]
    assert reason(answer) == "Available"


BY_GATEWAY, OWN = exposed(gateway=GATEWAY), exposed(gateway={"name": "shared"})
URL = "http://web.example.com/"


@pytest.mark.parametrize(
    ("parent", "status", "url"),
    [
        pytest.param(exposed(), ADDRESS, URL, id="Ingress"),
        pytest.param(exposed(tls={}, path="/shop"), ADDRESS, "https://web.example.com/shop", id="Ingress with TLS"),
        pytest.param(BY_GATEWAY, accepted(), URL, id="HTTPRoute"),
        pytest.param(BY_GATEWAY, accepted({"example.com/Programmed": "False"}), URL, id="another condition"),
        pytest.param(exposed(gateway=GATEWAY, tls={}), accepted(), "https://web.example.com/", id="TLS of a Gateway"),
        pytest.param(OWN, accepted(ref={"name": "shared", "namespace": "default"}), URL, id="in the same namespace"),
        pytest.param(OWN, accepted(ref={"name": "shared"}), URL, id="in the same namespace, which is left out"),
    ],
)
def test_an_accepted_route_has_its_address_in_the_status(parent: Json, status: Json, url: str) -> None:
    answer = answer_to(parent, status)

    assert said(answer) == ("True", "RouteAccepted")
    assert answer["status"]["url"] == url


@pytest.mark.parametrize(
    "status",
    [
        pytest.param(accepted(generation=0), id="of an earlier generation"),
        pytest.param(accepted(ref={**GATEWAY, "name": "other"}), id="of another Gateway"),
        pytest.param(accepted(ref={**GATEWAY, "namespace": "default"}), id="of a Gateway in another namespace"),
        pytest.param(accepted(ref={**GATEWAY, "sectionName": "http"}), id="of another listener"),
        pytest.param(accepted({"ResolvedRefs": "Unknown"}), id="not decided"),
        pytest.param({"parents": []}, id="of nobody"),
    ],
)
def test_what_is_not_about_this_route_and_gateway_is_no_acceptance(status: Json) -> None:
    assert said(answer_to(exposed(gateway=GATEWAY), status)) == ("Unknown", "NotYetAdmitted")


@pytest.mark.parametrize("name", ["Accepted", "ResolvedRefs"])
def test_a_gateway_that_refuses_is_named_with_its_reason_and_none_of_its_texts(name: str) -> None:
    answer = answer_to(exposed(gateway=GATEWAY), accepted({name: "False"}))

    assert said(answer) == ("False", "NotAccepted")
    assert (
        f"Gateway shared does not accept HTTPRoute web: {name} is False, Because."
        in (condition(answer, "Exposed")["message"])
    )
    assert reason(answer) == "Available"


def test_a_route_that_is_not_there_yet_or_differs_is_not_applied() -> None:
    parent = exposed()

    assert said(sync(parent)) == ("Unknown", "RouteNotApplied")
    assert said(answer_to(parent, ADDRESS, annotations={})) == ("Unknown", "RouteNotApplied")


def test_a_suspended_one_still_says_whether_its_route_is_accepted_and_its_url() -> None:
    children = [{**item, "status": ADDRESS} if item["kind"] == "Ingress" else item for item in finished(exposed())]
    suspended = exposed()
    suspended["spec"]["suspend"] = True

    answer = sync(suspended, *children)

    assert (said(answer), answer["status"]["url"]) == (("True", "RouteAccepted"), URL)
