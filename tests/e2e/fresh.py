"""Compares a child with a fresh one: created from the same spec, with the defaults of the API server."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from metahook.protocol.request_builder import Grouped, sync_request
from metahook.simulator.objects import Json, to_json
from tests.e2e.namespace import Namespace
from tests.e2e.watched import OURS
from tests.requests.builders import grouped

NOW = datetime(2026, 1, 31, tzinfo=UTC)

GIVEN = ("clusterIP", "clusterIPs", "healthCheckNodePort", "nodePort")
"""Fields of a Service that the API server allocates."""


def differences(here: Namespace, name: str = "web") -> list[str]:
    """Return the differences between the children of a MyResource and fresh ones."""
    request = _last_sync(here, name)
    managed: Grouped = {group: {} for group in request["children"]}
    desired = desired_children(here.get("MyResource", name), managed, request["related"])
    gone = [each for each in _owned(here, name) if each not in {_name(item) for item in desired}]
    return [f"{each} should be deleted" for each in gone] + [line for item in desired for line in _compared(here, item)]


def _last_sync(here: Namespace, name: str) -> Json:
    """Return the last sync request."""
    syncs = [exchange for exchange in here.exchanges(name) if exchange["path"].startswith("/sync")]
    found: Json = syncs[-1]["request"]
    return found


def desired_children(parent: Json, managed: Grouped | None = None, related: Json | None = None) -> list[Json]:
    """Return the children that the hook returns for *parent* without observed children, of all kinds or *managed*."""
    answer: Json = json.loads(OURS.handle_sync(sync_request(parent, managed or grouped(), related or {}), NOW).body)
    children: list[Json] = answer["children"]
    return children


def _compared(here: Namespace, desired: Json) -> Iterator[str]:
    live = here.find(desired["kind"], desired["metadata"]["name"])
    if live is None:
        yield f"{_name(desired)} is missing"
        return
    metadata = {**desired["metadata"], "name": f"{desired['metadata']['name'][:50]}-fresh", "namespace": here.name}
    fresh = here.client.create({**desired, "metadata": metadata}, dry_run=True)
    new, old = dict(_leaves(fresh["spec"], "")), dict(_leaves(live["spec"], ""))
    yield from (f"{_name(desired)}{path}: {old.get(path)}, not {new.get(path)}" for path in _unlike(new, old))
    for field in ("labels", "annotations"):
        for key, value in desired["metadata"].get(field, {}).items():
            if live["metadata"].get(field, {}).get(key) != value:
                yield f"{_name(desired)}: {field}: {key}"


def _owned(here: Namespace, name: str) -> Iterator[str]:
    for kind in ("Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"):
        for item in here.client.all(kind, here.name):
            if any(owner["name"] == name for owner in item["metadata"].get("ownerReferences", [])):
                yield _name({**item, "kind": kind})


def _name(item: Json) -> str:
    return f"{item['kind']} {item['metadata']['name']}"


def _unlike(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return sorted(path for path in new.keys() | old.keys() if new.get(path) != old.get(path))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield each value with its path. Lists of objects are sorted, because their order rarely matters."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            if key not in GIVEN:
                yield from _leaves(inner, f"{path}.{key}")
    elif isinstance(value, list) and value:
        ordered = sorted(value, key=to_json) if isinstance(value[0], dict) else value
        for number, inner in enumerate(ordered):
            yield from _leaves(inner, f"{path}[{number}]")
    else:
        yield path, value
