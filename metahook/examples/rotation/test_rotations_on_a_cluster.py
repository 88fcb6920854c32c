"""The rotation hook on a real control plane, with a period of a few seconds."""

import base64
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from rotations import PERIOD, rotations

from metahook import Manifest, SyncRequest, SyncResponse
from metahook.envtest import Cluster, Refused, missing_binaries

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent
FILES = [HERE / name for name in ("crd.yaml", "compositecontroller.yaml")]
ROTATIONS = rotations(b"a key for tests, of 32 bytes or more")


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Answer as the hook does, except for the parent of the negative control: that one does not ask to be called."""
    response = ROTATIONS.sync(request, now)
    return replace(response, resync_after=None) if request.parent.name == "still" else response


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("rotation"), apply_strategy=request.param) as cluster:
        cluster.install(replace(ROTATIONS, sync=sync), *FILES)
        yield cluster


def create(cluster: Cluster, name: str, every: int) -> None:
    metadata, spec = {"name": name}, {"everySeconds": every, "keep": 10}
    cluster.apply({"apiVersion": "example.com/v1", "kind": "RotatedSecret", "metadata": metadata, "spec": spec})


def period(found: Manifest) -> int:
    return int(found["metadata"]["annotations"][PERIOD])


def secret(cluster: Cluster, name: str, since: int = 0) -> Manifest:
    """Wait for the Secret of the period *since* or a later one, and return it."""

    def holds() -> Manifest | None:
        found = cluster.get("Secret", name)
        return found if found and period(found) >= since else None

    return cluster.wait_for(holds, f"the Secret {name} of period {since}")


def values(found: Manifest) -> dict[str, bytes]:
    return {name: base64.b64decode(value) for name, value in found["data"].items()}


def test_the_value_changes_with_each_period_and_the_previous_one_stays(cluster: Cluster) -> None:
    create(cluster, "token", 3)

    current: dict[int, bytes] = {}
    previous: dict[int, bytes] = {}
    while len(current.keys() & previous.keys()) < 3:  # a busy machine may not see each period
        found = secret(cluster, "token", max(current, default=-1) + 1)
        current[period(found)] = values(found)["current"]
        if period(found):
            previous[period(found) - 1] = values(found)["previous-1"]

    assert {each: current[each] for each in current.keys() & previous.keys()} == {
        each: previous[each] for each in current.keys() & previous.keys()
    }
    assert len(set(current.values())) == len(current)


def test_the_secret_is_written_once_in_a_period(cluster: Cluster) -> None:
    create(cluster, "quiet", 3)
    versions: dict[int, set[str]] = {}

    def has_four_periods() -> bool:
        found = secret(cluster, "quiet")
        versions.setdefault(period(found), set()).add(found["metadata"]["resourceVersion"])
        return len(versions) == 4

    cluster.wait_for(has_four_periods, "four periods")

    assert {len(each) for each in versions.values()} == {1}


def test_after_a_restart_of_metacontroller_the_next_value_has_the_same_previous_one(cluster: Cluster) -> None:
    create(cluster, "durable", 10)
    before = secret(cluster, "durable")

    cluster.metacontroller.restart()
    after = secret(cluster, "durable", period(before) + 1)

    names = ["current", *(f"previous-{age}" for age in range(1, 11))]
    assert values(after)[names[period(after) - period(before)]] == values(before)["current"]


def test_a_secret_that_is_deleted_comes_back_with_the_same_value(cluster: Cluster) -> None:
    create(cluster, "lost", 3600)
    before = secret(cluster, "lost")

    cluster.delete("Secret", "lost")

    after = cluster.wait_for(lambda: cluster.get("Secret", "lost"), "the Secret comes back")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert values(after) == values(before)


def test_without_resync_after_nothing_is_rotated(cluster: Cluster) -> None:
    create(cluster, "still", 2)
    create(cluster, "moving", 2)
    before = secret(cluster, "still")

    secret(cluster, "moving", period(before) + 3)

    assert cluster.get("Secret", "still") == before


def test_the_period_is_immutable(cluster: Cluster) -> None:
    create(cluster, "fixed", 3600)

    with pytest.raises(Refused, match="everySeconds is immutable"):
        cluster.patch("RotatedSecret", "fixed", {"spec": {"everySeconds": 60}})
