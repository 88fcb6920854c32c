"""Every field of the spec is in a child, or in the related rules: a new one that was forgotten is named here."""

import copy
import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
import yaml

from app.api.model import Model
from app.api.pods import DnsConfig
from app.api.probes import Lifecycle, Probe
from app.api.scheduling import Affinity
from app.api.spec import MyResourceSpec
from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.protocol.request_builder import customize_request
from tests.requests.builders import Json, finished, my_resource, reason, sync
from website.fields import FULL as FILE
from website.fields import examples

Path = tuple[str, ...]

EXAMPLES = examples()
FULL: Json = yaml.safe_load(FILE.read_text())["spec"]
WATCH = Watch(dependencies=(Kind("example.com/v1", "MyBackup", "mybackups"),))
"""A dependency of a kind that is not watched has no rule."""


WHOLE = (Affinity, DnsConfig, Lifecycle, Probe)
"""Objects that are written to the Pod as they are."""

REQUIRED = {
    ("expose", "host"): "other",
    ("expose", "gateway", "name"): "other",
    ("autoscaling", "maxReplicas"): 99,
    ("autoscaling", "targetCPUUtilizationPercentage"): 99,
    ("autoscaling", "targetMemoryUtilizationPercentage"): 99,
}
"""Fields that a spec may need if it has those around them, each with another value."""


def fields(model: type[Model]) -> Iterator[Path]:
    """Yield the fields of the spec, and those of an object in it, as on the wire."""
    for name, field in model.model_fields.items():
        if field.is_required() and name != "image":
            continue  # without it, the spec is invalid
        path = (field.alias or name,)
        yield path
        yield from ((*path, *inner) for found in models(field.annotation) for inner in fields(found))


def models(annotation: object) -> list[type[Model]]:
    """Return the model of an object of which each field is written by itself; items of a list never are."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [] if issubclass(annotation, WHOLE) else [annotation]
    if getattr(annotation, "__origin__", None) in (list, dict):
        return []
    return [found for part in get_args(annotation) for found in models(part)]


def has(spec: Json, path: Path) -> bool:
    value: Any = spec
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value is not None


def without(spec: Json, path: Path) -> Json:
    """Return *spec* without the field at *path*; one that is required stays, with another value."""
    changed = copy.deepcopy(spec)
    *steps, last = path
    node = changed
    for step in steps:
        node = node[step]
    del node[last]
    if path in REQUIRED:
        node[last] = REQUIRED[path]
    return {"image": "other:1", **changed}


def effects(spec: Json) -> str:
    """Return all that a spec leads to: the children, also once they are rolled out, and the objects looked at."""
    parent = my_resource(spec=spec)
    keys = spec.get("propagate", {})
    parent["metadata"] |= {field: dict.fromkeys(keys.get(field, []), "x") for field in ("labels", "annotations")}
    answer = sync(parent, watch=WATCH)
    later = sync(parent, *finished(parent), watch=WATCH)
    rules = json.loads(controller(WATCH).handle_customize(customize_request(parent)).body)
    assert reason(answer) != "InvalidSpec"
    return json.dumps([answer["children"], later["children"], rules], sort_keys=True)


def is_forgotten(path: Path) -> bool:
    """Tell whether no example of the field at *path* leads to anything that it does not lead to without the field."""
    shown = [item["spec"] for item in EXAMPLES.get(path[0], []) if has(item["spec"], path)]
    specs = shown or ([FULL] if has(FULL, path) else [])
    assert specs, f"examples/full.yaml does not use spec.{'.'.join(path)}"
    return all(effects(spec) == effects(without(spec, path)) for spec in specs)


@pytest.mark.parametrize("path", list(fields(MyResourceSpec)), ids=".".join)
def test_a_field_of_the_spec_changes_a_child_or_what_is_looked_at(path: Path) -> None:
    assert not is_forgotten(path), f"spec.{'.'.join(path)} is in no child: see app/core/desired"


def test_a_field_that_was_forgotten_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control of the test above."""
    monkeypatch.setitem(EXAMPLES, "unknown", [{"spec": {"image": "nginx:1.27", "unknown": 1}}])

    assert is_forgotten(("unknown",))
