"""The backup hook on a real control plane, whose Job controller runs the Jobs. Its Pods end as the test says."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from backups import BACKUPS, MyApp
from msgspec.structs import replace

from metahook import Absence, CustomizeRequest, Manifest, RelatedRule, SyncRequest, SyncResponse
from metahook.envtest import Cluster, Refused, missing_binaries

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent
FILES = [HERE / name for name in ("crd.yaml", "myapp-crd.yaml", "compositecontroller.yaml")]


SYNCED: list[tuple[str, int]] = []
"""Each answered sync: the name of the parent, and the replicas of the MyApp that it showed; -1 if it showed none."""


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    app = request.related.get(MyApp, request.parent.name)
    SYNCED.append((request.parent.name, -1 if isinstance(app, Absence) else app.spec.replicas))
    return BACKUPS.sync(request, now)


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Answer as the hook does, except for the parent of the negative control: that one selects nothing."""
    return [] if request.parent.name == "blind" else BACKUPS.customize(request)


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("backup"), apply_strategy=request.param) as cluster:
        cluster.install(replace(BACKUPS, sync=sync, customize=customize), *FILES)
        cluster.wait_for(lambda: cluster.get("ServiceAccount", "default"), "Pods can be created")
        yield cluster


def create_app(cluster: Cluster, name: str) -> None:
    """Create a MyApp as its own operator does: another object controls it."""
    owner = cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"platform-{name}"}})
    reference = {"name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"], "controller": True}
    metadata = {"name": name, "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", **reference}]}
    spec = {"replicas": 2, "image": "shop:1"}
    cluster.apply({"apiVersion": "apps.example.com/v1", "kind": "MyApp", "metadata": metadata, "spec": spec})


def create(cluster: Cluster, name: str, keep: int = 1) -> None:
    """Create a BackupConfig for the MyApp of the same name."""
    spec = {"app": name, "image": "busybox:1.37", "command": ["true"], "keep": keep}
    cluster.apply({"apiVersion": "example.com/v1", "kind": "BackupConfig", "metadata": {"name": name}, "spec": spec})


def wait_for_state(cluster: Cluster, name: str, state: str) -> None:
    cluster.wait_for(lambda: (config(cluster, name).get("status") or {}).get("state") == state, f"{name} is {state}")


def config(cluster: Cluster, name: str) -> Manifest:
    return cluster.get("BackupConfig", name) or {}


def scale(cluster: Cluster, name: str, replicas: int) -> None:
    cluster.patch("MyApp", name, {"spec": {"replicas": replicas}})


def jobs(cluster: Cluster, name: str) -> dict[str, Manifest]:
    """Return the Jobs of a BackupConfig by the value of REPLICAS."""
    own = [job for job in cluster.list("Job.batch") if job["metadata"]["name"].startswith(f"{name}-")]
    return {job["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"]: job for job in own}


def finish(cluster: Cluster, job: Manifest) -> None:
    """Let the Pod of *job* succeed: there is no kubelet."""

    def pod() -> str | None:
        uid = job["metadata"]["uid"]
        pods = (each["metadata"] for each in cluster.list("Pod"))
        return next((each["name"] for each in pods if each["ownerReferences"][0]["uid"] == uid), None)

    name = cluster.wait_for(pod, "the Job controller creates a Pod")
    cluster.patch("Pod", name, {"status": {"phase": "Succeeded"}}, part="/status")


def resync(cluster: Cluster, name: str) -> None:
    """Call sync by an annotation of the BackupConfig, and wait for the call and for the next one after it.

    The next one comes after the answer to the first one was applied.
    """
    for _ in range(2):
        before = len(SYNCED)
        cluster.patch("BackupConfig", name, {"metadata": {"annotations": {"at": str(before)}}})
        cluster.wait_for(lambda before=before: name in dict(SYNCED[before:]), f"a sync of {name}")  # type: ignore[misc]


def test_each_scaling_starts_one_backup_and_the_oldest_finished_one_goes(cluster: Cluster) -> None:
    create_app(cluster, "shop")
    create(cluster, "shop")
    wait_for_state(cluster, "shop", "Watching")
    assert jobs(cluster, "shop") == {}

    scale(cluster, "shop", 3)
    wait_for_state(cluster, "shop", "BackingUp")
    first = cluster.wait_for(lambda: jobs(cluster, "shop").get("3"), "a backup for 3 replicas")
    finish(cluster, first)
    wait_for_state(cluster, "shop", "BackupComplete")

    scale(cluster, "shop", 2)
    second = cluster.wait_for(lambda: jobs(cluster, "shop").get("2"), "a backup for 2 replicas")
    assert jobs(cluster, "shop")["3"]["metadata"]["uid"] == first["metadata"]["uid"]

    finish(cluster, second)
    cluster.wait_for(lambda: set(jobs(cluster, "shop")) == {"2"}, "the first backup goes")
    assert jobs(cluster, "shop")["2"]["metadata"]["uid"] == second["metadata"]["uid"]


def test_another_change_of_the_app_calls_the_hook_and_starts_nothing(cluster: Cluster) -> None:
    create_app(cluster, "shelf")
    create(cluster, "shelf")
    wait_for_state(cluster, "shelf", "Watching")

    before = len(SYNCED)
    cluster.patch("MyApp", "shelf", {"spec": {"image": "shop:2"}})
    cluster.wait_for(lambda: ("shelf", 2) in SYNCED[before:], "a sync of shelf")
    resync(cluster, "shelf")

    assert jobs(cluster, "shelf") == {}


def test_a_missing_app_is_reported_and_its_backups_stay(cluster: Cluster) -> None:
    create(cluster, "store")
    wait_for_state(cluster, "store", "MyAppMissing")
    create_app(cluster, "store")
    wait_for_state(cluster, "store", "Watching")
    scale(cluster, "store", 3)
    job = cluster.wait_for(lambda: jobs(cluster, "store").get("3"), "a backup for 3 replicas")

    cluster.delete("MyApp", "store")
    wait_for_state(cluster, "store", "MyAppMissing")
    resync(cluster, "store")

    assert jobs(cluster, "store")["3"]["metadata"]["uid"] == job["metadata"]["uid"]


def test_a_restart_of_metacontroller_starts_no_backup_and_changes_no_job(cluster: Cluster) -> None:
    create_app(cluster, "depot")
    create(cluster, "depot")
    wait_for_state(cluster, "depot", "Watching")
    scale(cluster, "depot", 3)
    finish(cluster, cluster.wait_for(lambda: jobs(cluster, "depot").get("3"), "a backup for 3 replicas"))
    wait_for_state(cluster, "depot", "BackupComplete")
    before = jobs(cluster, "depot")

    cluster.metacontroller.restart()
    resync(cluster, "depot")

    assert jobs(cluster, "depot") == before


def test_without_customize_nothing_happens(cluster: Cluster) -> None:
    create_app(cluster, "blind")
    create(cluster, "blind")
    wait_for_state(cluster, "blind", "Unknown")

    scale(cluster, "blind", 3)
    resync(cluster, "blind")

    assert jobs(cluster, "blind") == {}


def test_the_app_of_a_backup_config_is_immutable(cluster: Cluster) -> None:
    create(cluster, "fixed")

    with pytest.raises(Refused, match="app is immutable: create another BackupConfig"):
        cluster.patch("BackupConfig", "fixed", {"spec": {"app": "other"}})
