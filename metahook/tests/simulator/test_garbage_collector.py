"""Garbage collection: in the background, in the foreground, and leaving orphans."""

from metahook.simulator.objects import Key, is_deleting, reference_to, with_metadata
from metahook.simulator.world import World
from toolkit.worlds import DEPLOYMENT, WEB, Answers, deployment, foreign, parent, service, settled, synced


def owning() -> World:
    """Return a world with a parent that has a Deployment with a Pod."""
    return settled("dynamic-apply", Answers(deployment()))


def ends(made: World) -> list[str]:
    """Return the kinds of the objects in the order of their deletion."""
    gone = (write for write in made.history.writes() if write.before and not write.after)
    return [write.key.kind for write in gone]


def test_background_deletion_deletes_the_owner_first() -> None:
    made = owning()
    made.delete(WEB)
    assert made.api.get(WEB) is None

    made.until_quiet()
    assert made.api.all_keys() == []
    assert ends(made) == ["Widget", "Deployment", "ReplicaSet", "Pod"]


def test_foreground_deletion_deletes_the_owner_last() -> None:
    made = owning()
    made.delete(WEB, "foreground")
    assert is_deleting(made.get(WEB))

    made.until_quiet()
    assert made.api.all_keys() == []
    assert ends(made) == ["Pod", "ReplicaSet", "Deployment", "Widget"]


def test_foreground_deletion_terminates_pods_gracefully() -> None:
    made = owning()
    made.delete(WEB, "foreground")
    made.run(0.9)

    assert len(made.api.all("Pod")) == 1
    assert is_deleting(made.get(DEPLOYMENT))


def test_orphan_deletion_keeps_the_dependents_without_an_owner() -> None:
    made = owning()
    made.delete(WEB, "orphan")
    made.until_quiet()

    assert made.api.get(WEB) is None
    assert "ownerReferences" not in made.get(DEPLOYMENT)["metadata"]
    assert len(made.api.all("Pod")) == 1


def test_an_object_with_a_finalizer_is_deleted_when_the_finalizer_is_removed() -> None:
    made = owning()
    made.edit(WEB, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(WEB)
    made.until_quiet()
    assert made.get(DEPLOYMENT)

    made.edit(WEB, lambda item: item["metadata"].update(finalizers=[]))
    made.until_quiet()
    assert made.api.all_keys() == []


def test_an_owner_in_another_namespace_does_not_count() -> None:
    made = owning()
    there = with_metadata(foreign(service()), namespace="there", ownerReferences=[reference_to(made.get(WEB))])
    made.apply(there)
    made.until_quiet()

    assert made.api.get(Key("Service", "there", "web")) is None


def test_what_is_in_a_namespace_is_deleted_with_it() -> None:
    made = owning()
    made.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "there"}})
    made.apply(with_metadata(foreign(service()), namespace="there"))
    before = made.api.all_keys()
    made.delete(Key("Namespace", "", "there"))
    made.until_quiet()

    assert before[-2:] == [Key("Namespace", "", "there"), Key("Service", "there", "web")]
    assert made.api.all_keys() == before[:-2]


def test_an_object_with_one_owner_left_stays() -> None:
    made = settled("dynamic-apply", Answers(), parent(), parent("other"))
    owners = [{**reference_to(made.get(key)), "controller": False} for key in (WEB, WEB._replace(name="other"))]
    made.apply(with_metadata(foreign(service()), ownerReferences=owners))
    made.delete(WEB)
    made.until_quiet()
    assert made.api.all("Service")

    made.delete(WEB._replace(name="other"))
    made.until_quiet()
    assert made.api.all("Service") == []


def test_a_parent_that_is_recreated_at_once_does_not_own_the_old_children() -> None:
    made = owning()
    before = made.get(DEPLOYMENT)["metadata"]["uid"]
    made.delete(WEB)
    made.apply(parent())
    made.until_quiet()
    synced(made)

    after = made.get(DEPLOYMENT)["metadata"]
    assert after["uid"] != before
    assert after["ownerReferences"][0]["uid"] == made.get(WEB)["metadata"]["uid"]


def test_an_object_with_a_foreign_finalizer_is_only_marked_for_deletion() -> None:
    made = owning()
    made.edit(DEPLOYMENT, lambda item: item["metadata"].update(finalizers=["example.com/wait"]))
    made.delete(WEB)
    made.until_quiet()

    assert is_deleting(made.get(DEPLOYMENT))
