"""What the operator makes of a MyResource, imported again, makes the same children."""

import json
import re

import pytest
from hypothesis import assume, given, settings

from app.api.resources import milli
from app.cli.bound import problems
from app.cli.importing.comparison import Weight
from app.cli.importing.conversion import imported
from app.cli.importing.kubernetes import stored as as_stored
from tests.requests.builders import Json, sync
from tests.strategies.my_resources import parents
from toolkit.slow import short_or_whole

TOO_LONG = re.compile('"[0-9]{16,}m"')
"""An amount that the API server spells with more digits than a MyResource may have, such as a CPU of 2048.1Gi."""

NOT_IN_CHILDREN = {"dependencies", "propagate"}
"""Fields that decide when there are children, or that go into their metadata."""


def is_told_by_its_children(parent: Json) -> bool:
    """Tell whether all of a spec is in the children, and the CRD of today accepts it."""
    spec = parent["spec"]
    containers = [spec, *spec.get("initContainers", [])]
    limits = [
        each.get("resources", {}).get("limits", {}).get("memory", each.get("memory", "6Mi")) for each in containers
    ]
    return not NOT_IN_CHILDREN & spec.keys() and all(milli(limit) >= milli("6Mi") for limit in limits)


def made(parent: Json) -> list[Json]:
    return list(sync(parent)["children"])


def stored(children: list[Json]) -> list[Json]:
    """Return *children* without values that mean nothing."""
    return [{**child, "spec": as_stored(child).spec} for child in children]


def again(parent: Json, children: list[Json]) -> Json:
    """Return *parent* with the spec that an import of its *children* gives."""
    (deployment,) = (child for child in children if child["kind"] == "Deployment")
    result = imported(deployment, [child for child in children if child is not deployment], ())
    assert result.said[Weight.LOST] == []
    assert result.my_resource is not None
    assert problems(result.my_resource) == []
    return {**parent, "spec": result.my_resource["spec"]}


@pytest.mark.slow
@settings(max_examples=short_or_whole(150, 3000))
@given(parents().filter(is_told_by_its_children))
def test_an_import_of_the_children_makes_them_again(parent: Json) -> None:
    children = made(parent)
    assume(not TOO_LONG.search(json.dumps(children)))

    assert stored(made(again(parent, children))) == stored(children)
