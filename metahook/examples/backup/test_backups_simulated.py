"""The backup hook in the simulator: what starts a Job, what does not, and which Jobs stay."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from backups import BACKUPS
from msgspec.structs import replace

from metahook import Controller, SyncRequest, SyncResponse
from metahook.simulator import MODES, Key, Mode, Settings, World
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.findings import findings
from metahook.simulator.history import Write
from metahook.simulator.objects import reference_to

HERE = Path(__file__).parent
CRDS = [yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "myapp-crd.yaml")]
COMPOSITE = yaml.safe_load((HERE / "compositecontroller.yaml").read_text())

NIGHTLY, SHOP = Key("BackupConfig", "default", "nightly"), Key("MyApp", "default", "shop")

both_modes = pytest.mark.parametrize("mode", MODES)


def cluster(
    mode: Mode,
    controller: Controller = BACKUPS,
    changed: Callable[[Settings], Settings] = lambda it: it,
    *,
    has_app: bool = True,
) -> World:
    """Return a quiet world with a BackupConfig and, if *has_app*, the MyApp that it names."""
    world = World(controller, changed(Settings.read(COMPOSITE, CRDS, mode)))
    if has_app:
        create_app(world)
    metadata = {"name": "nightly", "namespace": "default"}
    spec = {"app": "shop", "image": "busybox:1.37", "command": ["sh", "-c", "echo backup"], "keep": 2}
    world.apply({"apiVersion": "example.com/v1", "kind": "BackupConfig", "metadata": metadata, "spec": spec})
    world.until_quiet()
    return world


def create_app(world: World, replicas: int = 2) -> None:
    """Create the MyApp as its own operator does: another object controls it."""
    world.apply({"apiVersion": "apps.example.com/v1", "kind": "Platform", "metadata": {"name": "platform"}})
    owner = reference_to(world.get(Key("Platform", "default", "platform")))
    metadata = {"name": "shop", "namespace": "default", "ownerReferences": [owner]}
    spec = {"replicas": replicas, "image": "shop:1"}
    world.apply({"apiVersion": "apps.example.com/v1", "kind": "MyApp", "metadata": metadata, "spec": spec})


def edit(world: World, **spec: str | int) -> None:
    """Edit the spec of the MyApp, and let everything happen that follows."""
    world.run(10)  # so that Jobs have different creation times
    world.edit(SHOP, lambda app: app["spec"].update(spec))
    world.until_quiet()


def jobs(world: World) -> list[str]:
    """Return the value of REPLICAS in each Job, the oldest Job first."""
    found = sorted(world.api.all("Job"), key=lambda job: job["metadata"]["creationTimestamp"])
    return [job["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] for job in found]


def finish(world: World, condition: str = "Complete") -> None:
    """Let all Jobs end: the simulator has no Job controller."""
    for job in world.api.all("Job"):
        key, status = Key("Job", "default", job["metadata"]["name"]), {"type": condition, "status": "True"}
        world.edit(key, lambda item, status=status: item.update(status={"conditions": [status]}))  # type: ignore[misc]
    world.until_quiet()


def state(world: World) -> str:
    found: str = world.parent("nightly")["status"]["state"]
    return found


def writes(world: World, verb: str, kind: str) -> list[Write]:
    return [write for write in world.history.writes("metacontroller") if (write.verb, write.key.kind) == (verb, kind)]


@both_modes
def test_the_first_sync_that_has_the_app_starts_no_backup(mode: Mode) -> None:
    world = cluster(mode)

    assert (jobs(world), state(world)) == ([], "Watching")


@both_modes
def test_each_scaling_starts_one_backup_and_then_nothing_is_written(mode: Mode) -> None:
    world = cluster(mode)

    edit(world, replicas=3)
    assert (jobs(world), state(world)) == (["3"], "BackingUp")
    finish(world)
    assert (jobs(world), state(world)) == (["3"], "BackupComplete")

    edit(world, replicas=2)
    assert (jobs(world), state(world)) == (["3", "2"], "BackingUp")
    before = len(list(world.history.writes("metacontroller")))
    world.run(3600)
    assert len(list(world.history.writes("metacontroller"))) == before
    assert findings(world.history) == []


@both_modes
def test_another_change_of_the_app_calls_the_hook_and_starts_nothing(mode: Mode) -> None:
    world = cluster(mode)
    calls = len(list(world.history.calls()))

    edit(world, image="shop:2")

    assert len(list(world.history.calls())) == calls + 1
    assert jobs(world) == []


@both_modes
def test_without_customize_nothing_happens(mode: Mode) -> None:
    world = cluster(mode, changed=lambda it: replace(it, has_customize=False))

    edit(world, replicas=3)

    assert (jobs(world), state(world)) == ([], "Unknown")


@both_modes
def test_a_missing_app_is_reported_and_its_backups_stay(mode: Mode) -> None:
    world = cluster(mode, has_app=False)
    assert state(world) == "MyAppMissing"

    create_app(world)
    edit(world, replicas=3)
    world.delete(SHOP)
    world.until_quiet()
    assert (jobs(world), state(world)) == (["3"], "MyAppMissing")


@both_modes
def test_an_app_that_is_created_again_is_not_scaled(mode: Mode) -> None:
    world = cluster(mode)
    edit(world, replicas=3)

    world.delete(SHOP)
    create_app(world, replicas=5)
    world.until_quiet()
    assert jobs(world) == ["3"]

    edit(world, replicas=6)
    assert jobs(world) == ["3", "6"]


@both_modes
def test_the_newest_finished_jobs_stay_and_all_that_run(mode: Mode) -> None:
    world = cluster(mode)
    for replicas in (3, 4, 5):
        edit(world, replicas=replicas)
    assert jobs(world) == ["3", "4", "5"]

    finish(world, "Failed")

    assert (jobs(world), state(world)) == (["4", "5"], "BackupFailed")


@both_modes
def test_a_job_that_is_deleted_by_hand_does_not_run_again(mode: Mode) -> None:
    world = cluster(mode)
    edit(world, replicas=3)

    world.delete(Key("Job", "default", world.api.all("Job")[0]["metadata"]["name"]))
    world.run(3600)

    assert jobs(world) == []


@both_modes
def test_an_app_from_a_cache_that_lags_behind_starts_nothing(mode: Mode) -> None:
    world = cluster(mode)
    edit(world, replicas=3)

    world.metacontroller.cache.behind["MyApp"] = 1  # again with 2 replicas
    world.edit(NIGHTLY, lambda config: config["metadata"].update(annotations={"a": "b"}))
    world.until_quiet()

    assert jobs(world) == ["3"]


@both_modes
def test_a_backup_whose_job_is_refused_is_started_later(mode: Mode) -> None:
    world = cluster(mode)
    world.api.admission.append(refuse_jobs)
    world.edit(SHOP, lambda app: app["spec"].update(replicas=3))
    world.run(60)
    assert jobs(world) == []

    world.api.admission.clear()
    world.run(3600)

    assert jobs(world) == ["3"]


def refuse_jobs(item: dict[str, Any], _: dict[str, Any] | None) -> dict[str, Any]:
    if item["kind"] == "Job":
        reason = "Forbidden"
        raise ApiError(reason, "exceeded quota")
    return item


@both_modes
@pytest.mark.parametrize("lost", ["the status", "the Job's record"])
def test_each_of_the_two_records_is_enough(mode: Mode, lost: str) -> None:
    world = cluster(mode)
    edit(world, replicas=3)
    (name,) = (job["metadata"]["name"] for job in world.api.all("Job"))
    if lost == "the status":
        world.edit(NIGHTLY, lambda config: config.update(status={}))
    else:
        world.edit(Key("Job", "default", name), lambda job: job["metadata"].update(annotations={}))
    world.metacontroller.restart()
    world.until_quiet()

    edit(world, image="shop:2")

    assert jobs(world) == ["3"]


def test_the_same_request_gives_the_same_bytes_also_after_the_job_was_created() -> None:
    world = cluster("dynamic-apply")
    edit(world, replicas=3)
    due = [call for call in world.history.calls() if b'"template"' in call.response]
    (call, *_) = due

    assert BACKUPS.handle_sync(call.request, world.clock.time()).body == call.response


@both_modes
def test_a_hook_that_does_not_list_old_jobs_again_deletes_them(mode: Mode) -> None:
    def sync(request: SyncRequest, now: datetime) -> SyncResponse:
        response = BACKUPS.sync(request, now)
        return replace(response, children=[child for child in response.children if "spec" in child])

    world = cluster(mode, replace(BACKUPS, sync=sync))
    edit(world, replicas=3)

    assert jobs(world) == []
    assert len(writes(world, "delete", "Job")) >= 1


def test_with_the_update_method_in_place_listing_a_job_by_name_would_change_it() -> None:
    world = cluster("dynamic-apply", changed=lambda it: replace(it, update_methods={}))
    edit(world, replicas=3)

    assert len(writes(world, "update", "Job")) >= 1
    assert "template" not in world.api.all("Job")[0].get("spec", {})
