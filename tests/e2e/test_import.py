"""What `myresource import` knows of Kubernetes is what a real API server does, and what it says of an object is so."""

import json
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from app.cli.importing.kubernetes import UnacceptableError
from metahook.envtest.binaries import find_binaries
from metahook.envtest.control_plane import ControlPlane
from tests.cli.importing.every_field import FIELDS, judge, stored, values, with_neighbours
from tests.requests.builders import Json
from tests.support.recorded_schema import FILE, OPTIONS, at, http_route_types, schema_of, store, undocumented

BUILT_IN = [each for each in FIELDS if each.kind != "HTTPRoute"]


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    plane = ControlPlane(find_binaries(), tmp_path_factory.mktemp("import"), {}, OPTIONS)
    try:
        plane.start()
        yield plane.client().http
    finally:
        plane.stop()


def test_the_recorded_schema_is_that_of_the_api_server(cluster: httpx.Client) -> None:
    assert schema_of(cluster, http_route_types()) == json.loads(FILE.read_text())
    assert undocumented(cluster) == []


def test_what_is_lost_of_an_object_as_the_api_server_stores_it_is_said(cluster: httpx.Client) -> None:
    def real(item: Json) -> Json | None:
        return stored(item) if item["kind"] == "HTTPRoute" else store(cluster, item)

    wrong, seen = [], Counter[str]()
    for each in BUILT_IN:
        for sort, new in values(each):
            deployment, others = with_neighbours(each, new)
            item = others[0] if others else deployment
            taken = real(item)
            if taken is None or _is_dropped(item, taken, each.path):
                seen["refused"] += 1
                continue
            try:
                verdicts = judge(deployment, others, real)
            except UnacceptableError as error:
                if at(taken, each.path[:-1]):  # otherwise it is dropped, as above, and does not matter
                    wrong.append(f"{each.kind} {each.path}, {sort}: {error}")
                continue
            seen["judged"] += 1
            wrong += [
                f"{each.kind} {each.path}, {sort}: {found}" for one in verdicts for found in one.silent + one.false
            ]

    assert wrong == []
    assert seen["judged"] > seen["refused"]


def _is_dropped(item: Json, taken: Json, path: tuple[str | int, ...]) -> bool:
    """Tell whether the API server dropped a field that a feature gate of it disables, or one above it."""
    model = stored(item)
    return any(
        at(taken, path[:end]) in (None, {}) and at(model, path[:end]) not in (None, {})
        for end in range(2, len(path) + 1)
    )
