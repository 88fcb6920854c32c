"""Claims: which objects a parent adopts, releases and leaves alone."""

from typing import Any

import pytest

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import (
    claim,
    with_owner_reference,
    with_parent_label,
    with_parents_namespace,
)
from metahook.simulator.metacontroller.settings import generated_selector
from metahook.simulator.objects import reference_to, with_metadata
from toolkit.worlds import SERVICE, WEB, Answers, events, parent, service, world

Json = dict[str, Any]


class Case:
    """An API server with a parent, and a Service that may be its child."""

    def __init__(self, *, label: str | None, owner: str | None, going: tuple[str, ...] = ()) -> None:
        self.api = ApiServer(Clock(), History())
        finalizers = ["example.com/wait"]
        made = self.api.create(with_metadata(parent(), finalizers=finalizers), "you")
        other = self.api.create(parent("other"), "you")
        uids = {"ours": made, "theirs": other}
        self.item: Json = self.api.create(
            with_metadata(
                service(),
                finalizers=finalizers,
                labels={"controller-uid": uids[label]["metadata"]["uid"]} if label else None,
                ownerReferences=[reference_to(uids[owner])] if owner else None,
            ),
            "you",
        )
        for key in (WEB, SERVICE):
            if key.kind in going:
                self.api.delete(key, "you")
        self.item = self.api.get(SERVICE) or {}
        self.parent: Json = self.api.get(WEB) or {}

    def claimed(self) -> bool:
        """Tell whether the Service is claimed."""
        return bool(list(claim(self.parent, [self.item], self.api, generated_selector(self.parent))))

    def owners(self) -> list[str]:
        """Return the names of the owners of the Service."""
        found = (self.api.get(SERVICE) or {})["metadata"].get("ownerReferences", [])
        return [owner["name"] for owner in found]


P, S = "Widget", "Service"


@pytest.mark.parametrize(
    ("label", "owner", "going", "claimed", "owners"),
    [
        pytest.param("ours", "ours", (), True, ["web"], id="ours"),
        pytest.param("ours", None, (), True, ["web"], id="adopted"),
        pytest.param(None, "ours", (), False, [], id="released"),
        pytest.param("theirs", "ours", (), False, [], id="released-with-another-label"),
        pytest.param(None, None, (), False, [], id="orphan without the label"),
        pytest.param("ours", "theirs", (), False, ["other"], id="of-another-controller"),
        pytest.param("ours", None, (S,), False, [], id="not-adopted-while-it-goes"),
        pytest.param("ours", "ours", (S,), True, ["web"], id="ours-while-it-goes"),
        pytest.param("ours", None, (P,), False, [], id="not-adopted-while-the-parent-goes"),
        pytest.param("ours", "ours", (P,), True, ["web"], id="ours-while-the-parent-goes"),
        pytest.param(None, "ours", (P,), False, ["web"], id="not-released-while-the-parent-goes"),
    ],
)
def test_a_claim_depends_on_owner_and_label(
    label: str | None,
    owner: str | None,
    going: tuple[str, ...],
    claimed: bool,  # noqa: FBT001 - a parameter of the test
    owners: list[str],
) -> None:
    case = Case(label=label, owner=owner, going=going)

    assert case.claimed() == claimed
    assert case.owners() == owners


@pytest.mark.parametrize("kind", [P, S])
def test_nothing_is_adopted_if_it_or_the_parent_was_deleted_or_recreated_since_it_was_cached(kind: str) -> None:
    case = Case(label="ours", owner=None)
    key = next(key for key in (WEB, SERVICE) if key.kind == kind)
    case.api.remove(key, "you")
    assert not case.claimed()

    case.api.create(with_metadata(parent() if kind == P else service(), namespace="default"), "you")
    assert not case.claimed()


def test_an_adoption_that_is_refused_is_an_error() -> None:
    made = world("dynamic-apply", Answers(), parent())
    made.until_quiet()
    made.apply(with_metadata(service(), labels={"controller-uid": made.get(WEB)["metadata"]["uid"]}))

    def admit(item: Json, _: Json | None) -> Json:
        if item["kind"] == "Service":
            raise ApiError(*FORBIDDEN)
        return item

    made.api.admission.append(admit)
    made.run(1)

    assert events(made)[0] == "not with us"
    assert made.api.get(SERVICE)


FORBIDDEN = ("Forbidden", "not with us")


def test_a_child_gets_the_namespace_and_the_label_of_its_parent_unless_it_says_otherwise() -> None:
    whole = with_metadata(parent(namespace="there"), uid="u")

    assert with_parent_label(with_parents_namespace(service(), whole), whole)["metadata"] == {
        "name": "web",
        "namespace": "there",
        "labels": {"controller-uid": "u"},
    }
    other = with_metadata(service(), namespace="a", labels={"controller-uid": "v"})
    metadata = with_parent_label(with_parents_namespace(other, whole), whole)["metadata"]
    assert (metadata["namespace"], metadata["labels"]) == ("a", {"controller-uid": "v"})


def test_a_child_with_its_own_owner_reference_gets_no_second_one() -> None:
    whole = with_metadata(parent(), uid="u")
    child = with_metadata(service(), ownerReferences=[{"uid": "u", "kind": "Widget", "name": "web"}])

    assert with_owner_reference(child, whole) == child
    assert (
        len(
            with_owner_reference(with_metadata(service(), ownerReferences=[{"uid": "v"}]), whole)["metadata"][
                "ownerReferences"
            ]
        )
        == 2
    )


def test_a_child_with_a_label_of_another_parent_stops_the_sync() -> None:
    child = with_metadata(service(), labels={"controller-uid": "another"})
    made = world("dynamic-apply", Answers(child), parent())
    made.run(1)

    assert "status" not in made.get(WEB)
    assert "does not match the selector" in events(made)[0]
