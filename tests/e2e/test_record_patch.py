"""The patches of docs/clusters/record.md, on the chart's Deployment in a real API server, as kubectl patches it."""

import pytest

from metahook.simulator.metacontroller.children import merge
from metahook.simulator.objects import Json
from tests.chart.record_patches import VALUES, patch
from tests.chart.sets import the
from tests.e2e.namespace import Namespace

STRATEGIC_MERGE = "application/strategic-merge-patch+json"


@pytest.mark.parametrize("values", VALUES.values(), ids=list(VALUES))
def test_a_patched_deployment_has_a_recorder_in_front_of_the_hook(values: Json, here: Namespace) -> None:
    item = the("Deployment", values)
    name = item["metadata"]["name"]
    item["metadata"]["namespace"] = here.name
    item["spec"]["replicas"] = 0
    here.client.create(item)

    here.client.change("Deployment", here.name, name, patch(values), how=STRATEGIC_MERGE)

    made = containers(here.get("Deployment", name))
    expected = containers(merge(item, {}, patch(values)))
    assert {each: fields(made[each]) for each in made} == {each: fields(expected[each]) for each in expected}


def containers(item: Json) -> dict[str, Json]:
    return {each["name"]: each for each in item["spec"]["template"]["spec"]["containers"]}


def fields(container: Json) -> Json:
    """Return the fields of *container* that the patch sets; variables and mounts in any order."""
    env = {each["name"]: each.get("value", "") for each in container.get("env", [])}
    mounts = {each["mountPath"]: each["name"] for each in container.get("volumeMounts", [])}
    return {"image": container["image"], "args": container["args"], "env": env, "mounts": mounts}
