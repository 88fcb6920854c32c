"""The hook as a Pod: how long it takes to start, how much memory it needs, and what its replacement costs."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import Json
from tests.docs.commands import commands
from tests.e2e.namespace import Place
from tests.node import cgroup
from tests.node.shell import Shell
from tests.own.own_cluster import OwnCluster

pytestmark = pytest.mark.tools

OPERATOR = "myresource-operator"
MIB = 1024 * 1024
RESTARTS = 10
"""Rolling restarts; each replaces two Pods."""
MANY = 100
LIMIT = 544 * MIB
"""resources.limits.memory of the chart."""


@pytest.fixture(scope="module", autouse=True)
def _fast(node: OwnCluster) -> None:
    """Raise the limits of Metacontroller as the page says: with its own, five requests a second, few calls are made."""
    del node
    command, *_of_shards = (each for each in commands("docs/operate.md") if "--client-go-qps" in each)
    Shell().run(command)
    Shell().run("kubectl -n metacontroller rollout status statefulset/metacontroller --timeout=120s")


def hooks(node: OwnCluster) -> list[Json]:
    """Return the Pods of the hook that are not deleted."""
    found = node.client.all("Pod", OPERATOR, labelSelector=f"app.kubernetes.io/name={OPERATOR}")
    return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]


def memory(node: OwnCluster) -> int:
    """Return the working set of the largest Pod of the hook, in bytes."""
    return max(cgroup.working_set(pod["metadata"]["uid"]) for pod in hooks(node))


def rest(name: str) -> Json:
    """Return the spec of a MyResource without Pods, so that many fit on the node."""
    return {"image": "nginx:1.27", "replicas": 0, "env": [{"name": "ROUND", "value": name}]}


@contextmanager
def changing(here: Place, names: list[str]) -> Iterator[list[str]]:
    """Change the MyResources *names* in turn all the time; yield the names of those that were changed so far."""
    done: list[str] = []
    stopping = threading.Event()

    def change() -> None:
        while not stopping.wait(0.1):
            name = names[len(done) % len(names)]
            here.change(name, **rest(str(len(done))))
            done.append(name)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield done
    finally:
        stopping.set()
        thread.join()


def sync_errors(node: OwnCluster, since: float) -> list[str]:
    """Return the messages of the SyncError Events that were written after the time *since*."""
    events = node.record.everything("Event")
    versions = [version for each in events.values() for version in each if version.at > since and not version.deleted]
    return [version.item["message"] for version in versions if version.item["reason"] == "SyncError"]


def test_a_deleted_hook_is_replaced_by_one_that_is_ready(node: OwnCluster, figures: dict[str, str]) -> None:
    before = {pod["metadata"]["name"] for pod in hooks(node)}
    node.client.delete("Pod", OPERATOR, min(before))

    def replaced() -> Json | None:
        new = [pod for pod in hooks(node) if pod["metadata"]["name"] not in before]
        return next(filter(is_ready, new), None)

    assert node.record.until(lambda: replaced() is not None, 90)
    pod = replaced()
    assert pod
    versions = node.record.of("Pod", OPERATOR, pod["metadata"]["name"])
    ready = next(version.at for version in versions if is_ready(version.item))
    started = cgroup.started(pod["metadata"]["uid"])
    figures["hook: seconds from the start of its process to Ready"] = f"{ready - started:.1f}"


def test_the_hook_stays_far_below_its_memory_limit(node: OwnCluster, here: Place, figures: dict[str, str]) -> None:
    figures["hook: MiB of memory at rest"] = f"{memory(node) / MIB:.0f}"
    names = [f"many-{number}" for number in range(MANY)]
    for name in names:
        here.make(name, **rest(""))
    peak = 0
    for turn in range(3):
        for name in names:
            here.change(name, **rest(str(turn)))
            peak = max(peak, memory(node))
    here.wait_until_quiet(2)
    figures[f"hook: MiB of memory while {MANY} MyResources change"] = f"{peak / MIB:.0f}"

    assert peak < LIMIT / 2


def test_a_rolling_restart_of_the_hook_loses_no_call(
    node: OwnCluster, here: Place, shell: Shell, figures: dict[str, str]
) -> None:
    names = [f"rolled-{number}" for number in range(10)]
    for name in names:
        here.make(name, **rest(""))
    here.wait_until_quiet(2)
    since = time.time()

    with changing(here, names) as done:
        for _ in range(RESTARTS):
            shell.run(f"kubectl -n {OPERATOR} rollout restart deployment/{OPERATOR}")
            shell.run(f"kubectl -n {OPERATOR} rollout status deployment/{OPERATOR} --timeout=120s")
    here.wait_until_quiet(2)

    errors = sync_errors(node, since)
    figures[f"hook: SyncErrors while {2 * RESTARTS} of its Pods are replaced"] = str(len(errors))
    figures["hook: changes of MyResources meanwhile"] = str(len(done))
    figures["hook: seconds for a rolling restart of its two Pods"] = f"{(time.time() - since) / RESTARTS:.0f}"
    assert errors == []
    for name in names:
        here.wait_for_status("Ready", "ScaledToZero", name)


def test_without_a_hook_there_are_sync_errors(node: OwnCluster, here: Place, shell: Shell) -> None:
    """Control: what the restarts are judged by is seen."""
    here.make("lost", **rest(""))
    here.wait_for_status("Ready", "ScaledToZero", "lost")
    since = time.time()

    shell.run(f"kubectl -n {OPERATOR} scale deployment/{OPERATOR} --replicas=0")
    try:
        assert node.record.until(lambda: not hooks(node), 60)
        here.change("lost", **rest("1"))
        assert node.record.until(lambda: sync_errors(node, since) != [], 60)
    finally:
        shell.run(f"kubectl -n {OPERATOR} scale deployment/{OPERATOR} --replicas=2")
        shell.run(f"kubectl -n {OPERATOR} rollout status deployment/{OPERATOR} --timeout=120s")
    here.wait_for_status("Ready", "ScaledToZero", "lost")
