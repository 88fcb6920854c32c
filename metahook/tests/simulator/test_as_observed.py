"""The simulator behaves as a real Metacontroller 4.17.2 with a kube-apiserver 1.36.3 was observed to behave."""

import json
from itertools import pairwise
from typing import Any

import pytest

from metahook import Kind
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.widgets import LABEL, WIDGETS
from toolkit.worlds import (
    CHANGES,
    CHILDREN,
    DEPLOYMENT,
    MAKES,
    SERVICE,
    WEB,
    Answers,
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
    with_main,
    world,
)

Json = dict[str, Any]

AUTOSCALER = Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")


def unlabel(item: Json) -> None:
    del item["metadata"]["labels"][LABEL]


def scale(item: Json) -> None:
    item["spec"]["replicas"] = 7


def kubectl_restart(item: Json) -> None:
    metadata = item["spec"]["template"].setdefault("metadata", {})
    metadata.setdefault("annotations", {})["kubectl.kubernetes.io/restartedAt"] = "now"


def uid(world: World, key: Key = WEB) -> str:
    found: str = world.get(key)["metadata"]["uid"]
    return found


# A sync at rest


@both_modes
@pytest.mark.parametrize("hook", [WIDGETS, Answers(deployment(), service())], ids=["Widgets", "plain"])
def test_a_touched_parent_at_rest_costs_no_write(mode: Mode, hook: Any) -> None:
    made = settled(mode, hook)
    before = calls(made)

    assert synced(made).requests == []
    assert calls(made) == before + 1


# An empty response


@both_modes
def test_an_empty_response_deletes_every_child_and_empties_the_status(mode: Mode) -> None:
    hook = Answers(deployment(), service())
    made = settled(mode, hook)

    hook.answer = {}
    synced(made)

    assert made.api.all_keys() == [WEB]
    assert made.get(WEB)["status"] == {"observedGeneration": 1}


# A null child


@both_modes
def test_a_null_child_crashes_metacontroller_again_after_each_restart(mode: Mode) -> None:
    hook = Answers(None)
    made = world(mode, hook, parent(), parent("other"))
    made.run(1)
    assert len(events(made, "Crash")) == 1

    made.run(7)
    assert calls(made) == 1  # for no parent at all

    made.run(10)
    assert len(events(made, "Crash")) == 2

    hook.answer["children"] = [deployment()]
    assert made.until_quiet()
    assert made.get(DEPLOYMENT)["status"]["availableReplicas"] == 1
    assert made.get(Key("Widget", "default", "other"))["status"] == {"state": "Building", "observedGeneration": 1}


# A removed label or annotation


@pytest.mark.parametrize(("mode", "put_back"), [("dynamic-apply", True), ("server-side-apply", False)])
def test_a_removed_label_is_restored_at_once_or_never(mode: Mode, put_back: bool) -> None:  # noqa: FBT001 - a parameter of the test
    made = settled(mode, Answers(deployment()))

    made.edit(DEPLOYMENT, unlabel)
    done = Since(made)
    made.run(1)
    assert done.requests == ([CHANGES[mode]] if put_back else [])

    synced(made)
    assert (LABEL in made.get(DEPLOYMENT)["metadata"]["labels"]) == put_back


@pytest.mark.parametrize("mode", ["server-side-apply"])
def test_a_removed_annotation_is_restored_in_both_modes(mode: Mode) -> None:
    noted = deployment()
    noted["metadata"]["annotations"] = {"ours": "1"}
    made = settled(mode, Answers(noted))

    made.edit(DEPLOYMENT, lambda item: item["metadata"]["annotations"].pop("ours"))
    made.until_quiet()

    assert made.get(DEPLOYMENT)["metadata"]["annotations"]["ours"] == "1"


# A quantity that is not canonical


@pytest.mark.parametrize(
    ("mode", "requests"), [("dynamic-apply", ["update Deployment web-deployment"]), ("server-side-apply", [])]
)
def test_a_quantity_that_is_not_canonical_costs_a_useless_write_at_each_sync(mode: Mode, requests: list[str]) -> None:
    made = settled(mode, Answers(with_main(resources={"limits": {"memory": "1024Mi"}})))
    (main,) = made.get(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    assert main["resources"]["limits"] == {"memory": "1Gi"}

    for _ in range(2):
        done = synced(made)

        assert done.requests == requests
        assert done.writes == []


# A foreign object with the name of a child


def test_under_dynamic_apply_a_foreign_service_is_never_touched_nor_reported() -> None:
    made = world("dynamic-apply", Answers(service()), foreign(service(app="other")), parent())
    before = made.get(SERVICE)
    made.run(3600)

    assert synced(made).requests == ["create Service web"]
    assert made.get(SERVICE) == before
    assert events(made) == []


def test_under_server_side_apply_a_foreign_service_is_taken_over_and_deleted_together_with_the_parent() -> None:
    made = settled("server-side-apply", Answers(service()), foreign(service(app="other")), parent())
    taken = made.get(SERVICE)
    assert taken["spec"]["selector"] == {LABEL: "web"}
    assert [owner["name"] for owner in taken["metadata"]["ownerReferences"]] == ["web"]

    made.delete(WEB)
    made.until_quiet()

    assert made.api.all_keys() == []


# Edits of a child by kubectl


def test_under_dynamic_apply_a_foreign_deployment_is_never_touched_nor_reported() -> None:
    made = world("dynamic-apply", Answers(deployment()), foreign(deployment()), parent())
    before = made.get(DEPLOYMENT)["spec"]
    made.run(3600)

    assert synced(made).requests == ["create Deployment web-deployment"]
    assert made.get(DEPLOYMENT)["spec"] == before
    assert events(made) == []


def test_under_server_side_apply_a_foreign_deployment_is_refused_with_backoff() -> None:
    made = world("server-side-apply", Answers(deployment()), foreign(deployment()), parent())
    made.run(10)

    assert made.get(DEPLOYMENT)["spec"]["selector"] == {"matchLabels": {"app": "other"}}
    assert "spec.selector: field is immutable" in events(made)[0]
    tries = [write.at for write in made.history.writes("metacontroller") if write.refused]
    pauses = [round(later - earlier, 3) for earlier, later in pairwise(tries)]
    assert pauses[:5] == [0.005, 0.01, 0.02, 0.04, 0.08]


# Calls of customize


@both_modes
@pytest.mark.parametrize("hook", [WIDGETS, Answers(deployment(replicas=1))], ids=["Widgets", "plain"])
def test_scaling_by_hand_is_repaired_at_once(mode: Mode, hook: Any) -> None:
    made = settled(mode, hook)

    made.edit(DEPLOYMENT, scale)
    made.run(0.1)
    assert made.get(DEPLOYMENT)["spec"]["replicas"] == 1

    made.until_quiet()
    assert len(made.api.all("Pod")) == 1
    assert synced(made).requests == []


# A restart of Metacontroller


@both_modes
@pytest.mark.parametrize("hook", [WIDGETS, Answers(deployment())], ids=["Widgets", "plain"])
def test_a_restart_by_kubectl_rolls_out_and_is_kept(mode: Mode, hook: Any) -> None:
    made = settled(mode, hook)
    (before,) = made.api.all("Pod")

    made.edit(DEPLOYMENT, kubectl_restart)
    made.until_quiet()

    (after,) = made.api.all("Pod")
    assert before["metadata"]["name"] != after["metadata"]["name"]
    assert after["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] == "now"
    assert synced(made).requests == []


# customize


@both_modes
def test_customize_is_called_once_per_parent_and_generation(mode: Mode) -> None:
    made = settled(mode, WIDGETS, parent(), parent("other"))
    assert calls(made, "customize") == 2

    synced(made)
    assert calls(made, "customize") == 2

    made.apply(parent(image="nginx:1.28"))
    made.until_quiet()
    assert calls(made, "customize") == 3


# More that was run there


@both_modes
def test_a_restart_of_metacontroller_costs_one_request_per_child_that_changes_nothing(mode: Mode) -> None:
    made = settled(mode, WIDGETS, parent(ports=[{"containerPort": 80}]))
    done = Since(made)

    made.metacontroller.restart()
    made.until_quiet()

    patches = [] if mode == "dynamic-apply" else ["apply Deployment web-deployment", "apply Service web"]
    assert sorted(done.requests) == patches
    assert done.writes == []


@both_modes
def test_recreate_is_always_refused_if_no_response_ever_contained_a_rolling_update(mode: Mode) -> None:
    hook = Answers(deployment())
    made = settled(mode, hook)

    hook.answer["children"] = [deployment(strategy={"type": "Recreate"})]

    assert "may not be specified when strategy type is Recreate" in synced(made).refusals[0]
    assert len(synced(made).refusals) > 0
    assert made.get(DEPLOYMENT)["spec"]["strategy"]["type"] == "RollingUpdate"


@both_modes
def test_recreate_is_accepted_if_every_response_contained_the_rolling_update(mode: Mode) -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    hook = Answers(deployment(strategy=rolling))
    made = settled(mode, hook)

    hook.answer["children"] = [deployment(strategy={"type": "Recreate"})]

    assert synced(made).refusals == []
    assert made.get(DEPLOYMENT)["spec"]["strategy"] == {"type": "Recreate"}


@both_modes
def test_a_related_kind_that_is_not_served_stops_the_sync(mode: Mode) -> None:
    hook = Answers(deployment())
    hook.rules = [{"apiVersion": "example.com/v1", "resource": "gadgets", "namespace": "default", "names": ["a"]}]
    made = world(mode, hook, parent())
    made.run(60)

    assert calls(made) == 0
    assert "status" not in made.get(WEB)
    assert len(events(made)) > 5


@both_modes
def test_the_kind_of_a_child_is_served(mode: Mode) -> None:
    hook = Answers(deployment())
    hook.rules = [{"apiVersion": "example.com/v1", "resource": "gadgets", "namespace": "default", "names": ["a"]}]
    made = settled(mode, hook, parent(), children=[*CHILDREN, Kind("example.com/v1", "Gadget", "gadgets")])

    assert (calls(made) > 0, events(made)) == (True, [])


@both_modes
def test_a_deployment_that_gets_our_label_is_adopted_and_deleted_if_the_response_does_not_list_it(mode: Mode) -> None:
    made = settled(mode, WIDGETS, parent(), foreign(deployment("other")))
    other = Key("Deployment", "default", "other")
    done = Since(made)

    made.edit(other, lambda item: item["metadata"]["labels"].update({"controller-uid": uid(made)}))
    made.run(3)

    requests = [request for request in done.requests if "status" not in request]
    assert requests == ["update Deployment other", "delete Deployment other"]
    assert made.api.get(other) is None


@both_modes
def test_a_foreign_deployment_with_our_name_and_label_is_deleted_with_the_parent(mode: Mode) -> None:
    made = settled(mode, WIDGETS, foreign(deployment()))
    made.apply(parent())
    made.run(1)
    made.edit(DEPLOYMENT, lambda item: item["metadata"]["labels"].update({"controller-uid": uid(made)}))
    made.run(1)

    made.delete(WEB)
    made.run(1)

    assert made.api.get(DEPLOYMENT) is None


def replica_set() -> Json:
    """Return a ReplicaSet without an owner that has the label of ours, as have its Pods."""
    labels = {LABEL: "web", "app": "other"}
    template = {**deployment()["spec"]["template"], "metadata": {"labels": labels}}
    metadata = {"name": "stray", "namespace": "default", "labels": {LABEL: "web"}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}


def pod(**labels: str) -> Json:
    """Return a Pod without an owner."""
    metadata = {"name": "stray", "namespace": "default", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": deployment()["spec"]["template"]["spec"]}


@both_modes
def test_a_replica_set_with_our_label_is_adopted_and_scaled_to_zero(mode: Mode) -> None:
    made = settled(mode)
    stray = Key("ReplicaSet", "default", "stray")

    made.apply(replica_set())
    made.run(5)

    assert made.get(stray)["metadata"]["ownerReferences"][0]["name"] == "web-deployment"
    assert made.get(stray)["spec"]["replicas"] == 0
    assert len(made.api.all("Pod")) == 1
    assert ready(made) == ("True", "Available")


@both_modes
def test_a_pod_with_the_labels_of_our_replica_set_is_adopted_and_one_is_deleted(mode: Mode) -> None:
    made = settled(mode)
    (ours,) = made.api.all("ReplicaSet")
    labels = ours["metadata"]["labels"]

    made.apply(pod(**labels))
    made.run(5)

    (left,) = made.api.all("Pod")
    assert left["metadata"]["ownerReferences"][0]["uid"] == ours["metadata"]["uid"]
    assert ready(made) == ("True", "Available")


@both_modes
def test_a_pod_with_our_label_alone_is_left_alone(mode: Mode) -> None:
    made = settled(mode)
    key = Key("Pod", "default", "stray")

    made.apply(pod(**{LABEL: "web"}))
    made.run(5)

    assert "ownerReferences" not in made.get(key)["metadata"]
    assert made.get(WEB)["status"]["replicas"] == 1


@both_modes
def test_deployments_with_the_same_selector_keep_their_own_pods(mode: Mode) -> None:
    made = settled(mode)

    made.apply(deployment("stray"))
    made.run(5)

    assert [made.get(key)["status"]["replicas"] for key in (DEPLOYMENT, Key("Deployment", "default", "stray"))] == [
        1,
        1,
    ]
    assert made.get(WEB)["status"]["replicas"] == 1
    assert ready(made) == ("True", "Available")


@pytest.mark.parametrize(
    ("mode", "requests"), [("dynamic-apply", []), ("server-side-apply", ["apply HorizontalPodAutoscaler web"])]
)
def test_each_status_of_a_child_without_generation_costs_a_request_under_server_side_apply(
    mode: Mode, requests: list[str]
) -> None:
    scaler = {"apiVersion": AUTOSCALER.api_version, "kind": AUTOSCALER.kind, "metadata": {"name": "web"}}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler["spec"] = {"scaleTargetRef": target, "maxReplicas": 2}
    key = Key(AUTOSCALER.kind, "default", "web")
    made = settled(mode, Answers(scaler), children=[*CHILDREN, AUTOSCALER])

    for replicas in range(3):
        done = Since(made)
        made.api.update_status({**made.get(key), "status": {"currentReplicas": replicas}}, "autoscaler")
        made.until_quiet()

        assert done.requests == requests
        assert done.writes == []


class Copying(Answers):
    """A hook that copies the replicas that it sees, and is called each second."""

    note = "a"

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the answer, with a note that makes it another one."""
        seen = json.loads(body).get("children", {}).get("Deployment.apps/v1", {}).values()
        child = deployment(replicas=next((item["spec"]["replicas"] for item in seen), 2))
        child["metadata"]["annotations"] = {"note": self.note}
        self.answer = {"status": {"a": 1}, "children": [child], "resyncAfterSeconds": 1}
        return super().__call__(hook, body)


@pytest.mark.parametrize(("mode", "replicas"), [("dynamic-apply", 7), ("server-side-apply", 2)])
def test_a_value_copied_from_a_stale_child_overwrites_a_newer_one_under_server_side_apply(
    mode: Mode, replicas: int
) -> None:
    hook = Copying()
    made = world(mode, hook, parent())
    made.run(10)
    made.metacontroller.cache.late = 5

    made.edit(DEPLOYMENT, scale)
    hook.note = "b"
    made.run(2)

    assert made.get(DEPLOYMENT)["spec"]["replicas"] == replicas


@both_modes
def test_a_child_is_created_by_one_request(mode: Mode) -> None:
    made = world(mode, WIDGETS, parent())
    done = Since(made)
    made.run(0.02)

    assert done.requests[0] == MAKES[mode]
    assert [request for request in done.writes if "Deployment" in request] == [MAKES[mode]]
