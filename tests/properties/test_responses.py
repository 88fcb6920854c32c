"""Properties of every answer, for any valid MyResource and whatever is observed of it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.metacontroller.children import merged_child
from tests.properties.oracle import expected_children, forbidden, status_problems, untidy
from tests.requests.builders import NOW, Json, my_resource, sync
from tests.requests.watched_objects import ALL, WATCH, WATCHING, related
from tests.strategies.my_resources import parents, specs
from tests.strategies.observed import Situation, situations
from toolkit.slow import short_or_whole


def answer_to(situation: Situation) -> Json:
    answer: Json = json.loads(WATCHING.handle_sync(situation.body(), NOW).body)
    return answer


def problems(situation: Situation, answer: Json) -> list[str]:
    """Return all that is wrong with *answer*."""
    namespace = situation.parent["metadata"]["namespace"]
    children = answer["children"]
    listed = {(child["kind"], child["metadata"]["name"]) for child in children}
    wanted = expected_children(situation)
    pauses = [answer[field] for field in answer.keys() - {"status", "children"}]
    return [
        *([] if listed == wanted and len(children) == len(wanted) else [f"children are {listed}"]),
        *(problem for child in children for problem in (*forbidden(child, namespace), *untidy(child))),
        *(["no namespace"] if {child["metadata"].get("namespace") for child in children} - {namespace} else []),
        *status_problems(answer["status"]),
        *untidy(answer["status"]),
        *(f"resync after {pause}" for pause in pauses if not (type(pause) is int and 1 <= pause <= 86400)),
    ]


@pytest.mark.slow
@settings(max_examples=short_or_whole(80, 2000))
@given(situations())
def test_every_answer_is_whole_and_harmless(situation: Situation) -> None:
    assert problems(situation, answer_to(situation)) == []


@pytest.mark.slow
@settings(max_examples=short_or_whole(40, 1000))
@given(situations())
def test_a_suspended_one_leaves_each_child_as_it_is_observed(situation: Situation) -> None:
    spec = {**situation.parent["spec"], "suspend": True}
    answer = answer_to(replace(situation, parent={**situation.parent, "spec": spec}))

    observed = {(child["kind"], child["metadata"]["name"]): child for child in situation.children}
    listed = {(child["kind"], child["metadata"]["name"]): child for child in answer["children"]}
    assert listed.keys() == observed.keys()
    for name, child in listed.items():
        desired = {**child, "metadata": {**child["metadata"], "namespace": "default"}}  # Metacontroller adds it
        assert _without_record(merged_child(observed[name], desired)) == _without_record(observed[name])


def _without_record(item: Json) -> Json:
    """Return *item* without Metacontroller's record of what it applied last."""
    metadata = {field: value for field, value in item["metadata"].items() if field != "labels" or value}
    annotations = {key: text for key, text in metadata.get("annotations", {}).items() if key != LAST_APPLIED}
    return {**item, "metadata": {**metadata, "annotations": annotations}}


DAMAGE: dict[str, Any] = {
    "children are": lambda answer: answer["children"].pop(),
    "hostPath must never": lambda answer: _pod(answer).update(volumes=[{"name": "a", "hostPath": {"path": "/"}}]),
    "capabilities must never": lambda answer: _main(answer).update(securityContext={"capabilities": {"add": ["ALL"]}}),
    "root, or no ID": lambda answer: _pod(answer)["securityContext"].update(runAsUser=0),
    "request to another host": lambda answer: _main(answer).update(readinessProbe={"httpGet": {"host": "10.0.0.1"}}),
    "another namespace": lambda answer: answer["children"][0]["metadata"].update(namespace="kube-system"),
    "class of the system": lambda answer: _pod(answer).update(priorityClassName="system-node-critical"),
    "key of Metacontroller": lambda answer: answer["children"][0]["metadata"]["labels"].update({"controller-uid": "a"}),
    ".args is None": lambda answer: _main(answer).update(args=None),
    "status: 'state' is a required": lambda answer: answer["status"].pop("state"),
    "status.phase is pruned": lambda answer: answer["status"].update(phase="Ready"),
    "two conditions of one type": lambda answer: answer["status"]["conditions"].extend(answer["status"]["conditions"]),
    "resync after 0": lambda answer: answer.update(resyncAfterSeconds=0),
}
"""Mistakes, by what is said about them."""


def _pod(answer: Json) -> Json:
    pod: Json = answer["children"][0]["spec"]["template"]["spec"]
    return pod


def _main(answer: Json) -> Json:
    main: Json = _pod(answer)["containers"][0]
    return main


@pytest.mark.parametrize("problem", DAMAGE)
def test_a_damaged_answer_is_noticed(problem: str) -> None:
    situation = Situation(my_resource(ports=[{"containerPort": 80}]))
    answer = answer_to(situation)
    assert problems(situation, answer) == []

    DAMAGE[problem](answer)

    assert any(problem in found for found in problems(situation, answer))


def started(parent: Json) -> Json:
    """Return the answer for *parent* where all is there that it names."""
    return sync(parent, related=related(*ALL), watch=WATCH)


@pytest.mark.slow
@settings(max_examples=short_or_whole(25, 300))
@given(specs(), st.integers(0, 1000), st.integers(1, 9))
def test_the_pod_template_does_not_depend_on_replicas_or_generation(spec: Json, replicas: int, generation: int) -> None:
    spec.pop("autoscaling", None)  # it excludes replicas
    (one, *_) = started(my_resource(spec=spec))["children"]
    (other, *_) = started(my_resource(spec={**spec, "replicas": replicas}, generation=generation))["children"]

    assert one["spec"]["template"] == other["spec"]["template"]


@pytest.mark.slow
@settings(max_examples=short_or_whole(25, 300))
@given(parents())
def test_selectors_depend_on_the_name_alone(parent: Json) -> None:
    selector = {"myresource": parent["metadata"]["name"]}

    deployment, *others = started(parent)["children"]

    assert deployment["spec"]["selector"] == {"matchLabels": selector}
    assert deployment["spec"]["template"]["metadata"]["labels"].items() >= selector.items()
    selectors = {"Service": selector, "PodDisruptionBudget": {"matchLabels": selector}}
    for child in others:
        assert child["spec"].get("selector") == selectors.get(child["kind"])
