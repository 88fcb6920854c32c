"""Shards: a Metacontroller for each, on a real control plane. Moving between them costs no child anything."""

import itertools
from collections.abc import Iterator

import pytest

from app.api.names import SHARD_LABEL as LABEL
from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.audit import deleted
from tests.e2e.cluster import Cluster, started
from tests.e2e.ends import moved, versions
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.sharded import metacontrollers, split

MOST = 4
"""Shards."""
_NUMBERS = itertools.count(1)

CONFIG: Json = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
SETTINGS: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"level": "info"}}
LABELS = {"none": None, "zero": "0", "one": "1", "two": "2", "three": "3", "nine": "9"}
"""The label of each MyResource, by its name."""


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster without a running Metacontroller."""
    made = Cluster(find_binaries(), tmp_path_factory.mktemp("shards"))
    with started(made):
        yield made


@pytest.fixture(name="sharded", scope="module")
def _sharded(cluster: Cluster, mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return the cluster with a Metacontroller for each of MOST shards."""
    with metacontrollers(cluster, mode, MOST, tmp_path_factory.mktemp("logs")):
        yield cluster


@pytest.fixture(name="here")
def _here(sharded: Cluster) -> Iterator[Namespace]:
    made = Namespace(sharded, f"t{next(_NUMBERS)}")
    yield made
    made.close()


def create(here: Namespace, name: str, shard: str | None, **spec: object) -> None:
    here.client.create(here.manifest(name, labels={LABEL: shard} if shard else {}, **spec))


def create_all(here: Namespace, **spec: object) -> None:
    """Create a MyResource for each of LABELS, and wait until all are Ready and nothing changes."""
    for name, label in LABELS.items():
        create(here, name, label, **spec)
    wait_until_ready(here, *LABELS)


def wait_until_ready(here: Namespace, *names: str) -> None:
    for name in names:
        here.wait_for_status("Ready", "Available", name)
    here.wait_until_quiet()


def move(here: Namespace, name: str, shard: str | None) -> None:
    here.edit("MyResource", {"metadata": {"labels": {LABEL: shard}}}, name)


def owner(shard: str | None, shards: int) -> str:
    """Return the name of the CompositeController of a MyResource with this label."""
    return f"myresource-{shard}" if shard in [*map(str, range(1, shards))] else "myresource"


def syncs(here: Namespace, name: str) -> list[str]:
    """Return the names of the CompositeControllers of the syncs so far."""
    calls = [each["request"] for each in here.exchanges(name) if each["path"].startswith("/sync")]
    return [each["controller"]["metadata"]["name"] for each in calls]


def wait_for_sync_by(here: Namespace, name: str, controller: str, since: int) -> None:
    here.eventually(lambda: controller in syncs(here, name)[since:])


def test_a_label_moves_a_myresource_and_writes_nothing(sharded: Cluster, here: Namespace, mode: Mode) -> None:
    split(sharded, 2)
    here.put(SETTINGS)
    create(here, "one", "1")  # its Metacontroller then watches Pods, and calls customize for the other, too
    create(here, "web", None, **PORT, **CONFIG)
    wait_until_ready(here, "one", "web")
    before, done, start = versions(here.client, here.name), here.since(), len(sharded.audit.requests)

    for label, controller in (("1", "myresource-1"), ("9", "myresource")):
        count = len(syncs(here, "web"))
        move(here, "web", label)
        wait_for_sync_by(here, "web", controller, count)
        here.wait_until_quiet()
        assert set(syncs(here, "web")[count:]) == {controller}

    after = versions(here.client, here.name)
    patches = {"patch deployments web-deployment", "patch services web"}  # which change nothing
    assert [*moved(before, after)] == [f"MyResource {here.name}/web"]
    assert done.writes == []
    assert {*done.useless} == (patches if mode == "server-side-apply" else set())
    assert deleted(sharded.audit.requests[start:]) == []


def test_the_number_of_shards_changes_and_writes_nothing(sharded: Cluster, here: Namespace) -> None:
    split(sharded, MOST)
    create_all(here, **PORT)
    created = {name: len(syncs(here, name)) for name in LABELS}
    for name in LABELS:
        here.edit("MyResource", {"metadata": {"annotations": {"example.com/touched": "1"}}}, name)
    here.eventually(lambda: all(len(syncs(here, name)) > count for name, count in created.items()))
    here.wait_until_quiet()
    found = {name: {*syncs(here, name)[count:]} for name, count in created.items()}
    assert found == {name: {owner(label, MOST)} for name, label in LABELS.items()}
    before, done, start = versions(here.client, here.name), here.since(), len(sharded.audit.requests)

    for shards in (2, 1, 2, MOST):
        earlier = {name: syncs(here, name) for name in LABELS}
        split(sharded, shards)
        others = [name for name, label in LABELS.items() if owner(label, shards) != earlier[name][-1]]
        for name in others:
            wait_for_sync_by(here, name, owner(LABELS[name], shards), len(earlier[name]))
        here.wait_until_quiet()
        assert others

    assert versions(here.client, here.name) == before
    assert done.writes == []
    assert deleted(sharded.audit.requests[start:]) == []
