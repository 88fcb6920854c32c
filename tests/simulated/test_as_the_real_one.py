"""The operator in the simulator does what it was observed to do behind a real Metacontroller 4.17.2."""

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from tests.requests.builders import MYRESOURCE
from tests.simulated.worlds import (
    DEPLOYMENT,
    WEB,
    both_modes,
    deployment,
    events,
    foreign,
    parent,
    ready,
    settled,
)


def uid(world: World, key: Key = WEB) -> str:
    found: str = world.get(key)["metadata"]["uid"]
    return found


@both_modes
def test_a_recreated_parent_adopts_an_orphan_by_its_label(mode: Mode) -> None:
    """Until it has the label it is left unchanged, although a server-side apply would take it over."""
    made = settled(mode)
    made.delete(WEB, "orphan")
    made.until_quiet()
    (pod,) = made.api.all("Pod")
    assert "ownerReferences" not in made.get(DEPLOYMENT)["metadata"]

    made.apply(parent())
    made.run(120)
    assert ready(made) == ("False", "NameConflict")

    made.edit(DEPLOYMENT, lambda item: item["metadata"]["labels"].update({"controller-uid": uid(made)}))
    made.run(120)
    assert ready(made) == ("True", "Available")
    assert [each["metadata"]["uid"] for each in made.api.all("Pod")] == [pod["metadata"]["uid"]]


@both_modes
def test_a_foreign_deployment_with_our_name_that_gets_our_label_is_not_applied_until_it_is_released(mode: Mode) -> None:
    """Its selector is immutable."""
    made = settled(mode, MYRESOURCE, foreign(deployment()))
    made.apply(parent())
    made.run(1)

    made.edit(DEPLOYMENT, lambda item: item["metadata"]["labels"].update({"controller-uid": uid(made)}))
    made.run(120)
    assert ready(made) == ("False", "NotApplied")
    assert any("immutable" in message for message in events(made))
    assert made.get(DEPLOYMENT)["metadata"]["ownerReferences"][0]["uid"] == uid(made)

    made.edit(DEPLOYMENT, lambda item: item["metadata"]["labels"].pop("controller-uid"))
    made.run(1)
    assert "ownerReferences" not in made.get(DEPLOYMENT)["metadata"]
