"""Every kind of child is desired by some spec, and is looked for by name: a place that was forgotten is named here."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from app.core.desired.children import CHILDREN, OPTIONAL_CHILDREN
from metahook import HTTPRoute, Object
from tests.requests.builders import Json, child, condition, finished, kinds, my_resource, reason, sync

FULL: Json = yaml.safe_load(Path("examples/full.yaml").read_text(encoding="utf-8"))["spec"] | {"dependencies": []}
ROUTED: Json = FULL | {"expose": {"host": "web.example.com", "gateway": {"name": "shared"}}}


def full(kind: type[Object]) -> Json:
    """Return a MyResource with a child of *kind*: it has an Ingress or an HTTPRoute."""
    return my_resource(spec=ROUTED if kind is HTTPRoute else FULL)


@pytest.mark.parametrize("kind", CHILDREN, ids=lambda kind: kind.KIND.kind)
def test_a_child_of_each_kind_has_the_labels_of_all_and_the_stamp_and_is_waited_for(kind: type[Object]) -> None:
    parent = full(kind)
    metadata = child(sync(parent), kind.KIND.kind)["metadata"]
    others = [item for item in finished(parent) if item["kind"] != kind.KIND.kind]

    assert metadata["labels"]["myresource"] == "web"
    assert metadata["annotations"]["mygroup.example.com/applied"] == "1-b848bea7"
    assert f"{kind.KIND.kind} " in condition(sync(parent, *others))["message"]


@pytest.mark.parametrize("optional", OPTIONAL_CHILDREN, ids=lambda optional: optional.kind.KIND.kind)
def test_an_object_of_another_owner_that_has_the_name_is_left_alone(optional: Any) -> None:
    parent, kind = full(optional.kind), optional.kind.KIND
    foreign = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "web", "namespace": "default"}}
    answer = sync(parent, related={kind.group_key: {"default/web": foreign}})

    assert reason(answer) == "NameConflict"
    assert optional.remedy in condition(answer)["message"]
    assert kind.kind not in kinds(answer)
