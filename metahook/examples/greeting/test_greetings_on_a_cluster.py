"""Tests on a real control plane: pytest -m e2e, if its binaries are installed."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from greetings import GREETINGS
from msgspec.structs import replace

from metahook import SyncRequest, SyncResponse
from metahook.envtest import Cluster, Refused, missing_binaries

HERE = Path(__file__).parent
MISSING = missing_binaries()

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(MISSING), reason=MISSING)]


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    strategy: Literal["dynamic-apply", "server-side-apply"] = request.param
    with Cluster(tmp_path_factory.mktemp("cluster"), apply_strategy=strategy) as cluster:
        cluster.install(GREETINGS, HERE / "crd.yaml", HERE / "compositecontroller.yaml")
        yield cluster


def create(cluster: Cluster, name: str, text: object = "hello") -> None:
    cluster.apply(
        {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": name}, "spec": {"text": text}}
    )


def has(cluster: Cluster, name: str, text: str) -> bool:
    return (cluster.get("ConfigMap", name) or {}).get("data") == {"text": text}


def status(cluster: Cluster, name: str) -> dict[str, Any]:
    found: dict[str, Any] = (cluster.get("Greeting", name) or {}).get("status", {})
    return found


def is_ready(cluster: Cluster, name: str) -> bool:
    return status(cluster, name) == {"state": "Ready", "observedGeneration": 1}


def test_a_greeting_becomes_ready(cluster: Cluster) -> None:
    create(cluster, "new")

    cluster.wait_for(lambda: is_ready(cluster, "new"), "Greeting new is Ready")
    assert has(cluster, "new", "hello")


def test_a_new_text_gets_into_the_config_map(cluster: Cluster) -> None:
    create(cluster, "edited")
    cluster.wait_for(lambda: has(cluster, "edited", "hello"), "the ConfigMap edited")

    cluster.patch("Greeting", "edited", {"spec": {"text": "bye"}})

    cluster.wait_for(lambda: has(cluster, "edited", "bye"), "the new text")


def test_a_text_that_is_changed_by_hand_is_restored(cluster: Cluster) -> None:
    create(cluster, "drifted")
    cluster.wait_for(lambda: has(cluster, "drifted", "hello"), "the ConfigMap drifted")

    cluster.patch("ConfigMap", "drifted", {"data": {"text": "mine"}})

    cluster.wait_for(lambda: has(cluster, "drifted", "hello"), "the restored text")


def test_what_changes_while_metacontroller_is_down_is_seen_after_its_start(cluster: Cluster) -> None:
    create(cluster, "missed")
    cluster.wait_for(lambda: is_ready(cluster, "missed"), "Greeting missed is Ready")

    cluster.metacontroller.stop()
    cluster.delete("ConfigMap", "missed")
    cluster.metacontroller.start()

    cluster.wait_for(lambda: has(cluster, "missed", "hello"), "the ConfigMap missed")


def test_the_config_map_is_deleted_with_its_greeting(cluster: Cluster) -> None:
    create(cluster, "deleted")
    cluster.wait_for(lambda: has(cluster, "deleted", "hello"), "the ConfigMap deleted")

    cluster.delete("Greeting", "deleted")

    cluster.wait_for(lambda: cluster.get("ConfigMap", "deleted") is None, "the ConfigMap is gone")


def test_the_crd_refuses_a_text_that_is_no_string(cluster: Cluster) -> None:
    with pytest.raises(Refused, match="text"):
        create(cluster, "wrong", text=5)


# A hook with a mistake: the tests notice it.


def always_ready(request: SyncRequest, now: datetime) -> SyncResponse:
    return replace(GREETINGS.sync(request, now), status={"state": "Ready"}, children=[])


def test_a_hook_without_children_is_noticed(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        cluster.install(replace(GREETINGS, sync=always_ready), HERE / "crd.yaml", HERE / "compositecontroller.yaml")
        create(cluster, "new")
        cluster.wait_for(lambda: is_ready(cluster, "new"), "Greeting new is Ready")

        assert not has(cluster, "new", "hello")
