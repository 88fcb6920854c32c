"""Values that no API server stores, where they hurt: numbers, nesting, keys that stand twice, long identities."""

import pytest

from metahook.server.app import create_app
from tests.invalid.mutations import DEPLOYMENT, REQUESTS, with_text
from tests.invalid.response_checks import faults
from tests.requests.builders import MYRESOURCE, NOW, Json
from toolkit.mutations import Path, replaced

APP = create_app(MYRESOURCE, clock=lambda: NOW)


NUMBERS = [
    "NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" * 4_000, "1e-400", "-0", "1.0", "01", "+1", ".5", "0x10",
]  # fmt: skip
NUMBER_PLACES: dict[str, Path] = {
    "skipped": ("later",),
    "generation": ("parent", "metadata", "generation"),
    "spec": ("parent", "spec", "replicas"),
    "quantity": ("parent", "spec", "memory"),
    "status": ("parent", "status", "conditions"),
    "child's spec": (*DEPLOYMENT, "spec", "replicas"),
    "child's status": (*DEPLOYMENT, "status", "replicas"),
}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:9])
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_numbers_that_are_none_or_too_large_are_answered_or_refused(request_: Json, number: str) -> None:
    request = {**replaced(request_, ("parent", "spec"), lambda spec: {"replicas": 1, **spec}), "later": None}
    bodies = {name: with_text(request, path, number) for name, path in NUMBER_PLACES.items()}

    assert faults(APP, "/sync", bodies) == {}


LEVELS = [500, 2_000, 100_000]
DEEP_PLACES: dict[str, Path] = {
    "skipped": ("later",),
    "parent": ("parent",),
    "spec": ("parent", "spec"),
    "spec's env": ("parent", "spec", "env"),
    "status": ("parent", "status"),
    "status's conditions": ("parent", "status", "conditions"),
    "a condition": ("parent", "status", "conditions", 0),
    "children": ("children",),
    "group": DEPLOYMENT[:2],
    "child": DEPLOYMENT,
    "child's spec": (*DEPLOYMENT, "spec"),
    "child's containers": (*DEPLOYMENT, "spec", "template", "spec", "containers"),
    "child's fields": (*DEPLOYMENT, "metadata", "managedFields"),
    "related": ("related",),
}


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("pair", ["[]", '{"x":}'], ids=["lists", "maps"])
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_deep_nesting_is_answered_or_refused_wherever_it_stands(request_: Json, pair: str, levels: int) -> None:
    deep = pair[:-1] * levels + '""' + pair[-1] * levels
    request = {
        **replaced(request_, (*DEPLOYMENT, "metadata"), lambda metadata: {"managedFields": [], **metadata}),
        "later": None,
    }
    bodies = {name: with_text(request, path, deep) for name, path in DEEP_PLACES.items()}

    assert faults(APP, "/sync", bodies) == {}
