"""The CPU of a sync grows with the size of its request, and no faster: each place of a request is made larger, tenfold.

Ratios of CPU time within one run, so that any machine will do. test_several_places.py shows that what is quadratic is
caught.
"""

import functools
import json
from pathlib import Path as File
from typing import Any

import pytest
import yaml

from metahook import MalformedRequest
from metahook.protocol.request_builder import sync_request
from tests.requests.builders import NOW, NOW_TEXT, grouped, my_resource, sync
from tests.requests.pods import crashing, pod, shown
from tests.requests.watched_objects import WATCH, WATCHING, backup, config_map, related, secret
from tests.strategies.observed import as_made
from toolkit.growth import Json, Path, grown, is_linear, places
from toolkit.slow import short_or_whole

SPEC = yaml.safe_load((File(__file__).parents[2] / "examples" / "full.yaml").read_text())["spec"]
BACKUP = {"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}


def answer(body: bytes) -> bytes:
    try:
        return WATCHING.handle_sync(body, NOW).body
    except MalformedRequest:
        return b""


def document(**spec: Any) -> Json:
    """Return a sync request in which everything is there: children, their records, and all that is related."""
    status = {"conditions": [{"type": "Ready", "status": "False"}], "waiting": {"what": "x", "since": NOW_TEXT}}
    parent = my_resource(spec={**SPEC, "dependencies": [BACKUP]}, status=status)
    config = {"mode": "a", "about": "b", "server.conf": "c"}
    login = {"password": "YQ==", "token": "YQ=="}
    logins = [secret(name, **login) for name in ("full-credentials", "full-database")]
    pods = shown(pod(crashing(), init=(crashing(name="init"),), sidecars=("init",)))
    objects = {**related(config_map("full-config", **config), *logins, backup("nightly")), **pods}
    made = [
        as_made(child, parent, "managed-fields") for child in sync(parent, related=objects, watch=WATCH)["children"]
    ]
    counts = {
        "observedGeneration": 1,
        "replicas": 4,
        "updatedReplicas": 4,
        "conditions": [{"type": "A", "status": "B"}],
    }
    children = [{**child, "status": counts} for child in made]
    shown_parent = {**parent, "spec": {**parent["spec"], **spec}}
    body: Json = json.loads(sync_request(shown_parent, grouped(*children), objects))
    return body


def at(path: Path) -> Any:
    found: Any = VALID
    for step in path:
        found = found[step]
    return found


def is_place(path: Path) -> bool:
    """Tell whether *path* is a place to try: of texts those of the spec; the fields that are owned have tests below."""
    return "fieldsV1" not in path and (not isinstance(at(path), str) or path[:2] == ("parent", "spec"))


def part(path: Path) -> str:
    """Return the part of a request that *path* is in: a field of the parent's spec, or a kind of object."""
    return ".".join(map(str, path[: 3 if path[0] == "parent" else 2]))


VALID, INVALID = document(), document(image="no image")
PLACES = [path for path in places(VALID) if path and is_place(path)]
PARTS = sorted({part(path) for path in PLACES})


TRIED = [
    *(pytest.param(VALID, within, id=within) for within in PARTS),
    *(pytest.param(INVALID, within, id=f"kept {within}") for within in PARTS if within.startswith("children")),
]
"""The request, and the part that grows: where the spec is invalid, children are kept."""


@pytest.mark.slow
@pytest.mark.parametrize(("request_", "within"), TRIED)
def test_each_place_of_a_request_may_be_large(request_: Json, within: str) -> None:
    some = [path for path in PLACES if part(path) == within][:: short_or_whole(12, 1)]

    assert [path for path in some if not is_linear(functools.partial(grown, request_, path), answer, 20_000)] == []
