"""Garbage collection: in the background, in the foreground, and leaving orphans."""

from metahook.simulator.objects import Key, deleting, reference_to, with_metadata
from metahook.simulator.world import World
from tests.worlds import DEPLOYMENT, WEB, Answers, deployment, foreign, parent, service, settled, synced


def owning() -> World:
    """Return a world with a parent that has a Deployment with a Pod."""
    return settled("dynamic-apply", Answers(deployment()))


def ends(made: World) -> list[str]:
    """Return the kinds of the objects in the order in which they went."""
    gone = (write for write in made.history.writes() if write.before and not write.after)
    return [write.key.kind for write in gone]


def test_in_the_background_the_owner_goes_first_and_the_rest_follows() -> None:
    made = owning()
    made.delete(WEB)
    assert made.api.get(WEB) is None

    made.still()
    assert made.api.all_keys() == []
    assert ends(made) == ["MyResource", "Deployment", "ReplicaSet", "Pod"]


def test_in_the_foreground_the_owner_goes_last() -> None:
    made = owning()
    made.delete(WEB, "foreground")
    assert deleting(made.get(WEB))

    made.still()
    assert made.api.all_keys() == []
    assert ends(made) == ["Pod", "ReplicaSet", "Deployment", "MyResource"]


def test_pods_end_gracefully_in_the_foreground_too() -> None:
    made = owning()
    made.delete(WEB, "foreground")
    made.run(0.9)

    assert len(made.api.all("Pod")) == 1
    assert deleting(made.get(DEPLOYMENT))


def test_orphans_stay_and_have_no_owner() -> None:
    made = owning()
    made.delete(WEB, "orphan")
    made.still()

    assert made.api.get(WEB) is None
    assert "ownerReferences" not in made.get(DEPLOYMENT)["metadata"]
    assert len(made.api.all("Pod")) == 1


def test_what_waits_for_a_finalizer_goes_when_that_is_gone() -> None:
    made = owning()
    made.edit(WEB, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(WEB)
    made.still()
    assert made.get(DEPLOYMENT)

    made.edit(WEB, lambda item: item["metadata"].update(finalizers=[]))
    made.still()
    assert made.api.all_keys() == []


def test_an_owner_in_another_namespace_is_none() -> None:
    made = owning()
    there = with_metadata(foreign(service()), namespace="there", ownerReferences=[reference_to(made.get(WEB))])
    made.apply(there)
    made.still()

    assert made.api.get(Key("Service", "there", "web")) is None


def test_an_object_with_one_owner_left_stays() -> None:
    made = settled("dynamic-apply", Answers(), parent(), parent("other"))
    owners = [{**reference_to(made.get(key)), "controller": False} for key in (WEB, WEB._replace(name="other"))]
    made.apply(with_metadata(foreign(service()), ownerReferences=owners))
    made.delete(WEB)
    made.still()
    assert made.api.all("Service")

    made.delete(WEB._replace(name="other"))
    made.still()
    assert made.api.all("Service") == []


def test_the_children_of_a_parent_that_is_made_anew_at_once_are_not_its_own() -> None:
    made = owning()
    before = made.get(DEPLOYMENT)["metadata"]["uid"]
    made.delete(WEB)
    made.apply(parent())
    made.still()
    synced(made)

    after = made.get(DEPLOYMENT)["metadata"]
    assert after["uid"] != before
    assert after["ownerReferences"][0]["uid"] == made.get(WEB)["metadata"]["uid"]


def test_an_object_that_is_protected_by_a_finalizer_is_only_marked() -> None:
    made = owning()
    made.edit(DEPLOYMENT, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(WEB)
    made.still()

    assert deleting(made.get(DEPLOYMENT))
