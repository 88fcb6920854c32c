"""What happens if the CRD of a hook's parent lacks a part that Metacontroller needs."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from metahook import ConfigMap, Controller, SyncRequest, SyncResponse
from metahook.envtest import Cluster
from metahook.envtest.cluster import hook_server, with_hooks_at
from toolkit.root import ROOT

GREETING = ROOT / "examples/greeting"
Json = dict[str, Any]


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("crd")) as cluster:
        yield cluster


def crd(kind: str, change: Callable[[Json], object]) -> Json:
    """Return the CRD of the Greeting hook for another *kind*, with a *change* to its version."""
    item: Json = yaml.safe_load((GREETING / "crd.yaml").read_text())
    plural = f"{kind.lower()}s"
    item["metadata"]["name"] = f"{plural}.example.com"
    item["spec"]["names"] = {"kind": kind, "plural": plural}
    change(item["spec"]["versions"][0])
    return item


def composite(kind: str) -> Json:
    item: Json = yaml.safe_load((GREETING / "compositecontroller.yaml").read_text())
    item["metadata"]["name"] = kind.lower()
    item["spec"]["parentResource"]["resource"] = f"{kind.lower()}s"
    return item


def write(folder: Path, *items: Json) -> Path:
    file = folder / "objects.yaml"
    file.write_text(yaml.safe_dump_all(items))
    return file


class Hook:
    """A hook that gives each parent a status and no child, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0
        self.controller = Controller(self.sync, (ConfigMap,))

    def sync(self, request: SyncRequest, now: object) -> SyncResponse:
        """Count the call; every parent is Ready."""
        del request, now
        self.calls += 1
        return SyncResponse(status={"state": "Ready"})


def parent(kind: str) -> Json:
    return {"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "it"}, "spec": {"text": "hello"}}


def test_without_the_status_subresource_an_event_says_so_and_no_call_comes(cluster: Cluster, tmp_path: Path) -> None:
    hook = Hook()
    cluster.install(hook.controller, write(tmp_path, crd("Plain", lambda version: version.pop("subresources"))))
    with hook_server(hook.controller) as address:
        cluster.apply(with_hooks_at(address, composite("Plain")))
        cluster.apply(parent("Plain"))

        found = cluster.wait_for(lambda: warnings(cluster, "plain"), "an Event of the CompositeController")

    assert {each["reason"] for each in found} == {"SyncError"}
    assert all("does not have subresource 'Status' enabled" in each["message"] for each in found)
    assert hook.calls == 0


def warnings(cluster: Cluster, name: str) -> list[Json]:
    """Return the Warnings about the CompositeController *name*."""
    selector = f"involvedObject.kind=CompositeController,involvedObject.name={name},type=Warning"
    return cluster.client.all("Event", "default", fieldSelector=selector)


def test_a_status_field_that_the_schema_lacks_is_sent_again_at_each_sync(cluster: Cluster, tmp_path: Path) -> None:
    def without_state(version: Json) -> None:
        del version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["state"]

    first, second, third = status_writes(cluster, tmp_path, crd("Pruned", without_state))

    assert first < second < third


def test_a_status_whose_fields_are_all_in_the_schema_is_sent_once(cluster: Cluster, tmp_path: Path) -> None:
    first, second, third = status_writes(cluster, tmp_path, crd("Whole", lambda _: None))

    assert first == second == third


def status_writes(cluster: Cluster, folder: Path, definition: Json) -> list[int]:
    """Return how often Metacontroller has sent a status after each of three syncs."""
    hook, kind = Hook(), definition["spec"]["names"]["kind"]
    cluster.install(hook.controller, write(folder, definition, composite(kind)))
    cluster.apply(parent(kind))
    cluster.wait_for(lambda: (cluster.get(kind, "it") or {}).get("status"), "a status")
    return [_status_writes_after_a_sync(cluster, kind, hook, note) for note in ("1", "2", "3")]


def _status_writes_after_a_sync(cluster: Cluster, kind: str, hook: Hook, note: str) -> int:
    for part in ("a", "b"):  # when the second call comes, the status of the first one has been sent
        count = hook.calls
        cluster.patch(kind, "it", {"metadata": {"annotations": {"example.com/note": note + part}}})
        cluster.wait_for(lambda count=count: hook.calls > count, "a sync")  # type: ignore[misc]
    text = cluster.client.http.get("/metrics").text
    labels = rf'[^}}]*resource="{kind.lower()}s"[^}}]*subresource="status"[^}}]*verb="PUT"[^}}]*'
    return sum(map(int, re.findall(rf"^apiserver_request_total\{{{labels}\}} (\d+)", text, re.MULTILINE)))
