"""Tests of the hook: in a cluster in memory (``world``), and of one request."""

import re
from datetime import datetime
from pathlib import Path

import yaml
from metahook import Manifest
from metahook.simulator import Key, World

from hook import CONTROLLER

EXAMPLE = yaml.safe_load(Path("example.yaml").read_text())
CHILDREN = [
    Key("MyChild", "my-namespace", "my-child"),  # each child
]


def desired(parent: Manifest, now: datetime) -> dict[str, Manifest]:
    """Return the attachments of a new *parent*, by kind."""
    return {child["kind"]: child for child in CONTROLLER.decide(CONTROLLER.request(parent), now).children}


def test_the_attachments_are_created(world: World) -> None:
    world.apply(EXAMPLE)
    world.until_quiet()

    assert all(world.get(child) for child in CHILDREN)


def test_an_object_without_the_label_gets_no_attachments(world: World) -> None:
    world.apply({**EXAMPLE, "metadata": {"name": "my-example"}})
    world.until_quiet()

    assert not any(world.api.get(child) for child in CHILDREN)


def test_an_attachment_that_is_deleted_by_hand_is_created_again(world: World) -> None:
    world.apply(EXAMPLE)
    world.until_quiet()

    world.delete(CHILDREN[-1])
    world.run(60)

    assert world.get(CHILDREN[-1])


def test_no_attachment_has_the_name_of_its_object_or_of_another_attachment(now: datetime) -> None:
    objects = [{**EXAMPLE, "metadata": {**EXAMPLE["metadata"], "name": name}} for name in ("one", "two")]

    names = [{child["metadata"]["name"] for child in desired(each, now).values()} for each in objects]

    assert names[0].isdisjoint({"one", *names[1]})


def test_the_attachments_of_objects_with_long_names_have_names_that_fit(now: datetime) -> None:
    long = [f"{'x' * 99}.{end}" for end in "ab"]
    objects = [{**EXAMPLE, "metadata": {**EXAMPLE["metadata"], "name": name}} for name in long]

    names = [{child["metadata"]["name"] for child in desired(each, now).values()} for each in objects]

    assert all(re.fullmatch("[a-z][-a-z0-9]{0,50}[a-z0-9]", name) for name in names[0] | names[1])
    assert names[0].isdisjoint(names[1])


# only: DaemonSet Deployment Ingress PodDisruptionBudget RoleBinding Service StatefulSet
def test_the_children_refer_to_the_right_objects(now: datetime) -> None:
    children = desired({**EXAMPLE, "metadata": {**EXAMPLE["metadata"], "name": "other"}}, now)

    pods = {"app": "other-my-hook"}  # only: DaemonSet Deployment StatefulSet
    assert children["DaemonSet"]["spec"]["template"]["metadata"]["labels"] == pods  # only: DaemonSet
    assert children["Deployment"]["spec"]["template"]["metadata"]["labels"] == pods  # only: Deployment
    assert children["StatefulSet"]["spec"]["template"]["metadata"]["labels"] == pods  # only: StatefulSet
    assert children["StatefulSet"]["spec"]["serviceName"] == "other-my-hook"  # only: StatefulSet
    # only: PodDisruptionBudget Service
    selected = EXAMPLE["spec"]["template"]["metadata"]["labels"]  # only: selecting
    selected = {"app": "other-my-hook"}  # only: not-selecting
    assert children["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == selected  # only: PodDisruptionBudget
    assert children["Service"]["spec"]["selector"] == selected  # only: Service
    # end
    # only: Ingress
    (rule,) = children["Ingress"]["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"]["name"] == "other-my-hook"
    # end
    assert children["RoleBinding"]["roleRef"]["name"] == "other-my-hook"  # only: RoleBinding


# end
# only: finalize
def test_a_deleted_object_goes_with_its_children(world: World) -> None:
    world.apply(EXAMPLE)
    world.until_quiet()

    parent = Key("MyKind", "default", "my-example")  # only: namespaced
    parent = Key("MyKind", "", "my-example")  # only: cluster-scoped
    world.delete(parent)
    world.run(60)

    assert not any(world.api.get(key) for key in (parent, *CHILDREN))


def test_a_deleted_object_stays_while_it_has_children(now: datetime) -> None:
    children = list(desired(EXAMPLE, now).values())
    requests = [CONTROLLER.request(EXAMPLE, each, finalizing=True) for each in (children, children[:1], [])]

    responses = [CONTROLLER.decide(request, now) for request in requests]

    assert [(response.children, response.finalized) for response in responses] == [([], False), ([], False), ([], True)]


# end
def test_one_request_gets_all_attachments(now: datetime) -> None:
    assert len(desired(EXAMPLE, now)) == len(CHILDREN)
