"""The hook of tenants in the simulator: a parent in no namespace, children in one, and data that must not be lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace
from tenants import CRD, TENANTS

from metahook import Controller, FinalizeResponse
from metahook.simulator import MODES, Key, Mode, Settings, World
from metahook.simulator.findings import findings

HERE = Path(__file__).parent
STORED_CRD, CONTROLLER = (yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "controller.yaml"))

TENANT, NAMESPACE = Key("Tenant", "", "acme"), Key("Namespace", "", "tenant-acme")
LIMITS = [Key(kind, "tenant-acme", "tenant") for kind in ("ResourceQuota", "RoleBinding", "NetworkPolicy")]
CLAIM = Key("PersistentVolumeClaim", "tenant-acme", "data")

both_modes = pytest.mark.parametrize("mode", MODES)


def tenant(name: str = "acme", **spec: object) -> dict[str, Any]:
    spec = {"groups": ["acme-developers"], **spec}
    return {"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": {"name": name}, "spec": spec}


def claim() -> dict[str, Any]:
    metadata = {"name": CLAIM.name, "namespace": CLAIM.namespace}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def cluster(mode: Mode, hook: Controller = TENANTS) -> World:
    """Return a quiet cluster with one Tenant."""
    world = World(hook, Settings.read(CONTROLLER, [STORED_CRD], mode))
    world.apply(tenant())
    world.until_quiet()
    return world


def reason(world: World, name: str = "acme") -> str:
    (condition,) = world.parent(name)["status"]["conditions"]
    found: str = condition["reason"]
    return found


@both_modes
def test_a_tenant_gets_a_namespace_with_limits_and_an_hour_later_nothing_was_written(mode: Mode) -> None:
    world = cluster(mode)

    assert reason(world) == "UpToDate"
    quota, binding, _ = map(world.get, LIMITS)
    assert quota["spec"]["hard"] == {"pods": "50", "requests.cpu": "10"}
    assert [each["name"] for each in binding["subjects"]] == ["acme-developers"]
    before = len(list(world.history.writes("metacontroller")))
    world.run(3600)
    assert len(list(world.history.writes("metacontroller"))) == before
    assert list(world.history.events("SyncError")) == []
    assert findings(world.history) == []


@both_modes
def test_another_spec_changes_the_limits(mode: Mode) -> None:
    world = cluster(mode)

    world.apply(tenant(groups=["b", "a", "b"], pods=5))
    world.until_quiet()

    quota, binding, _ = map(world.get, LIMITS)
    assert quota["spec"]["hard"]["pods"] == "5"
    assert [each["name"] for each in binding["subjects"]] == ["a", "b"]
    assert findings(world.history) == []


EDITS: dict[str, Callable[[Any], object]] = {
    "ResourceQuota": lambda item: item["spec"]["hard"].update(pods="99"),
    "RoleBinding": lambda item: item["subjects"].clear(),
    "NetworkPolicy": lambda item: item["spec"].update(ingress=[{}]),
}


@both_modes
@pytest.mark.parametrize("key", LIMITS, ids=[key.kind for key in LIMITS])
def test_a_limit_that_is_edited_or_deleted_comes_back(mode: Mode, key: Key) -> None:
    world = cluster(mode)
    before = {**world.get(key), "metadata": None}

    world.edit(key, EDITS[key.kind])
    world.until_quiet()
    assert {**world.get(key), "metadata": None} == before
    world.delete(key)
    world.until_quiet()

    assert {**world.get(key), "metadata": None} == before
    assert findings(world.history) == []


def is_kept_while_there_is_data(mode: Mode, hook: Controller) -> bool:
    """Tell whether the claim outlives a deletion of its Tenant."""
    world = cluster(mode, hook)
    world.apply(claim())
    world.delete(TENANT)
    world.until_quiet()
    return world.api.get(CLAIM) is not None


@both_modes
def test_a_tenant_with_data_is_deleted_once_the_data_is(mode: Mode) -> None:
    assert is_kept_while_there_is_data(mode, TENANTS)
    world = cluster(mode)
    world.apply(claim())
    world.delete(TENANT)
    world.until_quiet()
    assert reason(world) == "HasData"
    world.edit(LIMITS[0], EDITS["ResourceQuota"])
    world.until_quiet()
    assert world.get(LIMITS[0])["spec"]["hard"]["pods"] == "50"  # what it has is looked after until then

    world.delete(CLAIM)
    world.until_quiet()

    assert world.api.all_keys() == []
    assert findings(world.history) == []


@both_modes
def test_a_tenant_without_data_is_deleted_at_once(mode: Mode) -> None:
    world = cluster(mode)

    world.delete(TENANT)
    world.until_quiet()

    assert world.api.all_keys() == []


@both_modes
def test_a_namespace_that_is_deleted_by_hand_comes_back(mode: Mode) -> None:
    world = cluster(mode)

    world.delete(NAMESPACE)
    world.until_quiet()

    assert reason(world) == "UpToDate"
    assert all(world.api.get(key) for key in [NAMESPACE, *LIMITS])


@both_modes
@pytest.mark.parametrize(
    ("name", "change"), [("acme", {"pods": 1000}), ("a" * 57, {}), ("a.b", {})], ids=["pods", "long name", "name"]
)
def test_a_mistake_of_a_user_is_a_condition_and_children_stay(mode: Mode, name: str, change: dict[str, Any]) -> None:
    world = cluster(mode)

    world.apply(tenant(name, **change))
    world.until_quiet()

    assert reason(world, name) == "InvalidSpec"
    assert [key for key in world.api.all_keys() if key.kind == "Namespace"] == [NAMESPACE]
    assert world.get(LIMITS[0])["spec"]["hard"]["pods"] == "50"


def test_the_crd_is_that_of_the_structs() -> None:
    assert STORED_CRD == CRD


# A hook with a mistake: the tests above notice it.


@both_modes
def test_a_finalize_that_does_not_wait_is_noticed(mode: Mode) -> None:
    hook = replace(TENANTS, finalize=lambda _, __: FinalizeResponse({"namespace": "tenant-acme"}, finalized=True))

    assert not is_kept_while_there_is_data(mode, hook)
