"""The operator in the simulator does what it was observed to do behind a real Metacontroller 4.17.2."""

from typing import Any

import pytest

from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from tests.requests.builders import MYRESOURCE
from tests.simulated.worlds import (
    CHANGES,
    DEPLOYMENT,
    MAKES,
    SERVICE,
    WEB,
    Since,
    both_modes,
    calls,
    deployment,
    events,
    foreign,
    parent,
    ready,
    service,
    settled,
    synced,
    world,
)

Json = dict[str, Any]


def unlabel(item: Json) -> None:
    del item["metadata"]["labels"]["myresource"]


def scale(item: Json) -> None:
    item["spec"]["replicas"] = 7


def kubectl_restart(item: Json) -> None:
    metadata = item["spec"]["template"].setdefault("metadata", {})
    metadata.setdefault("annotations", {})["kubectl.kubernetes.io/restartedAt"] = "now"


def uid(world: World, key: Key = WEB) -> str:
    found: str = world.get(key)["metadata"]["uid"]
    return found


@both_modes
def test_a_touched_parent_at_rest_costs_no_write(mode: Mode) -> None:
    made = settled(mode)
    before = calls(made)

    assert synced(made).requests == []
    assert calls(made) == before + 1


@both_modes
def test_our_hook_restores_its_label_in_both_modes(mode: Mode) -> None:
    made = settled(mode)

    for _ in range(2):
        made.edit(DEPLOYMENT, unlabel)
        done = Since(made)
        assert made.until_quiet()

        assert made.get(DEPLOYMENT)["metadata"]["labels"]["myresource"] == "web"
        assert "mygroup.example.com/repair" not in made.get(DEPLOYMENT)["metadata"]["annotations"]
        assert done.writes.count(CHANGES[mode]) == 2
        assert synced(made).requests == []
        assert ready(made) == ("True", "Available")


@both_modes
def test_our_hook_restores_its_label_also_if_it_is_removed_again_at_once(mode: Mode) -> None:
    made = settled(mode)
    made.edit(DEPLOYMENT, unlabel)
    assert made.until(lambda: "myresource" in made.get(DEPLOYMENT)["metadata"]["labels"])

    made.edit(DEPLOYMENT, unlabel)
    assert made.until_quiet()

    assert made.get(DEPLOYMENT)["metadata"]["labels"]["myresource"] == "web"
    assert "mygroup.example.com/repair" not in made.get(DEPLOYMENT)["metadata"]["annotations"]


@both_modes
def test_our_hook_keeps_a_foreign_service_and_reports_name_conflict(mode: Mode) -> None:
    made = settled(mode, MYRESOURCE, foreign(service(app="other")), parent(ports=[{"containerPort": 80}]))
    assert ready(made) == ("False", "NameConflict")
    assert made.get(DEPLOYMENT)["status"]["availableReplicas"] == 1

    made.delete(WEB)
    made.until_quiet()

    left = made.get(SERVICE)
    assert made.api.all_keys() == [SERVICE]
    assert left["spec"]["selector"] == {"app": "other"}
    assert "ownerReferences" not in left["metadata"]


@both_modes
def test_our_hook_creates_its_service_once_the_name_is_free(mode: Mode) -> None:
    made = settled(mode, MYRESOURCE, foreign(service(app="other")), parent(ports=[{"containerPort": 80}]))

    made.delete(SERVICE)
    made.until_quiet()

    assert made.get(SERVICE)["spec"]["selector"] == {"myresource": "web"}
    assert ready(made) == ("True", "Available")


@both_modes
def test_our_hook_reports_not_applied_after_a_minute_for_a_foreign_deployment(mode: Mode) -> None:
    made = world(mode, MYRESOURCE, foreign(deployment()), parent())
    made.run(55)
    assert ready(made) == ("False", "Building")

    made.run(60)
    assert ready(made) == ("False", "NotApplied")
    assert made.get(DEPLOYMENT)["spec"]["selector"] == {"matchLabels": {"app": "other"}}


@both_modes
def test_scaling_by_hand_is_repaired_at_once(mode: Mode) -> None:
    made = settled(mode)

    made.edit(DEPLOYMENT, scale)
    made.run(0.1)
    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 1

    made.until_quiet()
    assert len(made.api.all("Pod")) == 1
    assert synced(made).requests == []


@both_modes
def test_a_restart_by_kubectl_rolls_out_and_is_kept(mode: Mode) -> None:
    made = settled(mode)
    (before,) = made.api.all("Pod")

    made.edit(DEPLOYMENT, kubectl_restart)
    made.until_quiet()

    (after,) = made.api.all("Pod")
    assert before["metadata"]["name"] != after["metadata"]["name"]
    assert after["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] == "now"
    assert synced(made).requests == []


@both_modes
def test_our_hook_changes_the_strategy_there_and_back(mode: Mode) -> None:
    made = settled(mode)

    for strategy in ({"type": "Recreate"}, {"type": "RollingUpdate"}):
        made.apply(parent(strategy=strategy))
        made.until_quiet()

        assert made.get(DEPLOYMENT)["spec"]["strategy"]["type"] == strategy["type"]
        assert ready(made) == ("True", "Available")


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


@pytest.mark.parametrize(("mode", "replicas"), [("dynamic-apply", 2), ("server-side-apply", 7)])
def test_keeping_what_was_applied_last_reverts_a_scale_by_hand_under_dynamic_apply(mode: Mode, replicas: int) -> None:
    made = settled(mode, MYRESOURCE, parent(replicas=2))
    made.apply(parent(replicas=-1))
    made.until_quiet()
    assert ready(made) == ("False", "InvalidSpec")

    made.edit(DEPLOYMENT, scale)
    made.until_quiet()

    assert made.get(DEPLOYMENT)["spec"]["replicas"] == replicas


@both_modes
def test_a_child_is_created_by_one_request(mode: Mode) -> None:
    made = world(mode, MYRESOURCE, parent())
    done = Since(made)
    made.run(0.02)

    assert done.requests[0] == MAKES[mode]
    assert [request for request in done.writes if "Deployment" in request] == [MAKES[mode]]
