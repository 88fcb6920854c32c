"""The simulated API server refuses what a real one refuses: valid objects of many kinds, each with one mistake."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from metahook.envtest import Cluster
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN, VERSION
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.history import History
from metahook.simulator.objects import copy_json
from toolkit.built_in_kinds import FILE, built_in
from toolkit.root import ROOT

Json = dict[str, Any]
Path = tuple[str | int, ...]

OBJECTS: list[Json] = list(yaml.safe_load_all((ROOT / "tests/data/built_in_objects.yaml").read_text()))
NAMESPACED = {kind.kind for kind in BUILT_IN if kind.namespaced}
VALUES: tuple[Any, ...] = (5, -1, 1.5, True, "x!", [], {})
NAMES = ("Foo", "a_b", "1a", "a.b", "a" * 64, "a" * 254, "-a", "a:b")
LABELS = (("a", "a b"), ("a", "-"), ("a", "x" * 64), ("a b", "x"), ("/a", "x"), ("a/b/c", "x"), ("A/b", "x"))


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("kinds")) as cluster:
        cluster.wait_for(lambda: cluster.get("ServiceAccount", "default"), "the service account default")
        yield cluster


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of each value below *value*."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(inner, (*path, key))


def at(item: Any, path: Path) -> Any:
    for key in path:
        item = item[key]
    return item


def mistakes(item: Json) -> Iterator[tuple[str, Json]]:
    """Yield copies of *item* with a value of another type, without a field, with an unknown one, a name, a label."""
    metadata = item["metadata"]
    for path in paths(item):
        if path[0] not in ("apiVersion", "kind") and path not in (("metadata",), ("metadata", "name")):
            yield from mistakes_at(item, path)
    for name in NAMES:
        yield f"the name {name}", {**item, "metadata": {**metadata, "name": name}}
    for field in ("labels", "annotations"):
        for key, value in LABELS:
            yield f"{field} {key}={value}", {**item, "metadata": {**metadata, field: {key: value}}}


def mistakes_at(item: Json, path: Path) -> Iterator[tuple[str, Json]]:
    """Yield copies of *item* with a mistake at *path*."""

    def changed(*inner: str | int) -> tuple[Json, Any]:
        copy: Json = copy_json(item)
        return copy, at(copy, inner)

    for value in VALUES:
        copy, outer = changed(*path[:-1])
        outer[path[-1]] = value
        yield f"{path} is {value!r}", copy
    copy, outer = changed(*path[:-1])
    del outer[path[-1]]
    yield f"no {path}", copy
    copy, inner = changed(*path)
    if isinstance(inner, dict):
        inner["unknown"] = 1
        yield f"{path} has an unknown field", copy
    if isinstance(inner, list):
        inner.append(copy_json(inner)[0])
        yield f"{path} has an item twice", copy


def refused_by(cluster: Cluster, item: Json) -> str | None:
    """Return why the real API server refuses *item*, sent without strict validation as Metacontroller sends it."""
    path = cluster.client.path(item["kind"], "default")
    response = cluster.client.http.post(path, params={"dryRun": "All"}, json=item)
    return None if response.is_success else str(response.json()["message"])


def refused(item: Json) -> str | None:
    """Return why the simulated API server refuses *item*."""
    try:
        ApiServer(Clock(), History()).create(item, "you")
    except ApiError as error:
        return str(error)
    return None


@pytest.mark.parametrize("item", OBJECTS, ids=lambda item: item["kind"])
def test_an_object_has_a_generation_if_the_real_one_has(cluster: Cluster, item: Json) -> None:
    if item["kind"] in NAMESPACED:
        item = {**item, "metadata": {"namespace": "default", **item["metadata"]}}
    api = ApiServer(Clock(), History())

    expected = cluster.client.create(item, dry_run=True)["metadata"].get("generation")

    assert api.create(item, "you")["metadata"].get("generation") == expected


@pytest.mark.parametrize("item", OBJECTS, ids=lambda item: item["kind"])
def test_an_object_is_refused_only_if_the_real_one_refuses_it_and_nearly_always_then(
    cluster: Cluster, item: Json
) -> None:
    if item["kind"] in NAMESPACED:
        item = {**item, "metadata": {"namespace": "default", **item["metadata"]}}
    assert refused(item) is None
    assert refused_by(cluster, item) is None

    verdicts = [(what, refused_by(cluster, copy), refused(copy)) for what, copy in mistakes(item)]

    assert [verdict for verdict in verdicts if verdict[2] and not verdict[1]] == []
    missed = [verdict for verdict in verdicts if verdict[1] and not verdict[2]]
    refusals = sum(1 for _, real, _ in verdicts if real)
    # The rest are rules of one kind, such as that an Ingress has a rule or a default backend.
    assert len(missed) <= refusals / 4, missed


def test_the_kinds_are_those_of_this_version(cluster: Cluster) -> None:
    found = built_in(cluster.client.http)
    if found["version"] != VERSION:
        pytest.skip(f"the control plane is {found['version']}, the kinds are those of {VERSION}")

    found["kinds"] = [kind for kind in found["kinds"] if not kind[0].startswith("metacontroller")]
    found["types"] = {name: type_ for name, type_ in found["types"].items() if ".metacontroller." not in name}
    assert found == json.loads(FILE.read_text())
