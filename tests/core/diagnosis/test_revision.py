"""The current revision: Pods count if they carry the Deployment's template, whatever their number and age."""

from itertools import permutations
from typing import Any

import pytest

from tests.requests.builders import Json, child, condition, my_resource, sync
from tests.requests.pods import HEALTHY, ago, crashing, pod, shown, unfinished

ADMITTED: Json = {
    "nodeName": "node-1",
    "priority": 0,
    "serviceAccountName": "default",
    "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
}
"""What the API server and the scheduler add to a Pod."""
PROBE = {"httpGet": {"port": 80}}
TOLERATIONS = [{"key": "a", "operator": "Exists"}]


def made_for(spec: Json, *containers: Json, mark: str, seconds: float, **admitted: Any) -> Json:
    """Return a Pod of the template that a MyResource with *spec* asks for."""
    template = child(sync(my_resource(**spec)), "Deployment")["spec"]["template"]
    made = pod(*containers, name=f"{mark}-{seconds}", mark=mark, made=ago(seconds))
    metadata = {**made["metadata"], "labels": {**template["metadata"]["labels"], **made["metadata"]["labels"]}}
    metadata["annotations"] = template["metadata"].get("annotations", {})
    extra = {**ADMITTED, **admitted}
    extra["tolerations"] = [*template["spec"].get("tolerations", []), *ADMITTED["tolerations"]]
    return {**made, "metadata": metadata, "spec": {**template["spec"], **extra}}


def reason(spec: Json, *pods: Json, **status: Any) -> str:
    """Return the reason of Ready in a rollout of *spec* in which there are these *pods*."""
    parent = my_resource(**spec)
    (found,) = {
        condition(sync(parent, unfinished(parent, **status), related=shown(*each)))["reason"]
        for each in permutations(pods)
    }
    return str(found)


CHANGES = [
    pytest.param({"image": "nginx:1.26"}, {}, id="image"),
    pytest.param({}, {"env": [{"name": "A", "value": "1"}]}, id="a variable added"),
    pytest.param({"env": [{"name": "A", "value": "1"}]}, {}, id="a variable removed"),
    pytest.param({"memory": "64Mi"}, {"memory": "96Mi"}, id="memory"),
    pytest.param({"livenessProbe": PROBE}, {}, id="a probe removed"),
    pytest.param({}, {"restartedAt": "2026-01-31T11:00:00Z"}, id="restart"),
    pytest.param({"restartedAt": "2026-01-31T11:00:00Z"}, {"restartedAt": "2026-01-31T12:00:00Z"}, id="again"),
    pytest.param({"podMetadata": {"labels": {"a": "b"}}}, {"podMetadata": {"labels": {"a": "c"}}}, id="label"),
    pytest.param({"nodeSelector": {"a": "b"}}, {}, id="a node selector removed"),
    pytest.param({}, {"tolerations": TOLERATIONS}, id="a toleration added"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_only_pods_of_the_new_template_are_blamed_on_it_also_if_an_old_one_was_replaced_later(
    before: Json, after: Json
) -> None:
    found = []
    for old, new in ((HEALTHY, crashing()), (crashing(), HEALTHY)):
        pods = made_for(before, old, mark="zold", seconds=5), made_for(after, new, mark="anew", seconds=60)
        found.append(reason(after, *pods, replicas=2, updatedReplicas=1))

    assert found == ["CrashLooping", "RollingOut"]


def test_while_there_are_no_new_pods_the_old_ones_say_nothing() -> None:
    old = made_for({"image": "nginx:1.26"}, crashing(), mark="old", seconds=60)

    assert reason({}, old, updatedReplicas=0) == "RollingOut"


def test_where_all_pods_were_changed_number_and_age_tell() -> None:
    mirror = [{"name": "main", "image": "mirror/nginx"}]
    old = made_for({"image": "nginx:1.26"}, HEALTHY, mark="zold", seconds=60, containers=mirror)
    new = made_for({}, crashing(), mark="anew", seconds=5, containers=mirror)
    unscheduled = {**old, "spec": {name: value for name, value in old["spec"].items() if name != "nodeName"}}

    assert reason({}, old, new, replicas=2, updatedReplicas=1) == "CrashLooping"
    assert reason({}, unscheduled, new, replicas=2, updatedReplicas=1) == "CrashLooping"
