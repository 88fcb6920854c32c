"""Annotations that the cluster does not allow: a spec with one is invalid, and none reaches a child."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.api.generated_schema import spec_schema
from app.core.watch import Watch
from tests.requests.builders import Json, condition, finished, my_resource, reason, sync

ALLOWED = ("prometheus.io/", "example.com/owner")
PORTS = [{"containerPort": 80}]

KEYS = {
    "prometheus.io/scrape": True,
    "example.com/owner": True,
    "example.com/owner2": False,
    "example.com/other": False,
    "a.prometheus.io/scrape": False,
    "prometheus.io": False,
    "Prometheus.io/scrape": False,
    "sidecar.istio.io/userVolume": False,
}
"""Whether each is allowed: a prefix allows all keys that begin with it, and a key only itself."""


def places(schema: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of each field of annotations below *schema*."""
    for name, field in schema.get("properties", {}).items():
        if name == "annotations":
            yield (*path, name)
        yield from places(field.get("items", field), (*path, name))


PLACES = list(places(spec_schema()))


def annotated(path: tuple[str, ...], *keys: str) -> Json:
    """Return the field at *path* with these *keys*: of a list, or of a map."""
    annotations = list(keys) if path[0] == "propagate" else dict.fromkeys(keys, "x")
    found: Json = {path[-1]: annotations}
    for name in reversed(path[:-1]):
        found = {name: found}
    return found


def parent(**fields: Any) -> Json:
    """Return a MyResource that has all the annotations itself, for those that it propagates."""
    made = my_resource(ports=PORTS, **fields)
    return {**made, "metadata": {**made["metadata"], "annotations": dict.fromkeys(KEYS, "x")}}


TABLE = [
    pytest.param(path, key, is_allowed, id=f"{'.'.join(path)}-{key}")
    for path in PLACES
    for key, is_allowed in KEYS.items()
]


@pytest.mark.parametrize(("path", "key", "is_allowed"), TABLE)
def test_a_spec_with_an_annotation_that_is_not_allowed_is_invalid_and_children_that_run_are_kept(
    path: tuple[str, ...], key: str, *, is_allowed: bool
) -> None:
    """As for every invalid spec: a setting that becomes stricter restarts no Pod. The key is nowhere in the message."""
    made, watch = parent(**annotated(path, "prometheus.io/port", key)), Watch(allowed_annotations=ALLOWED)

    new, running = sync(made, watch=watch), sync(made, *finished(made), watch=watch)

    names, kept = ([item["metadata"]["name"] for item in answer["children"]] for answer in (sync(made), running))
    assert (reason(new) == "InvalidSpec") is not is_allowed
    assert new["children"] == (sync(made)["children"] if is_allowed else [])
    assert kept == names != [], "all are allowed by default"
    if not is_allowed:
        text = f"spec.{'.'.join(path)}: has a key that this cluster does not allow; ask the cluster administrator"
        assert text in condition(running)["message"]
        assert key not in condition(running)["message"]
