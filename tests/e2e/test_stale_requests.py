"""Metacontroller's API server lags: an old spec undoes nothing newer, and an old status moves no transition time."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.hook import TRUSTING, Hook
from tests.e2e.installed import controller
from tests.e2e.lagging import LaggingApiServer
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.statuses import condition
from tests.e2e.truth import Written, backward, moves, written

OLD, NEW = "nginx:1.27", "nginx:1.28"
NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Scene:
    """A cluster, and Metacontroller behind an API server that can lag."""

    cluster: Cluster
    api: LaggingApiServer
    metacontroller: Process
    trusting: Hook

    def changed(self, name: str, hook: Hook) -> Namespace:
        """Return a namespace whose MyResource, served by *hook*, got another image and a port, which are applied."""
        self.cluster.client.apply(controller(hook.url))
        here = Namespace(self.cluster, name)
        here.ready(image=OLD)
        self.api.remember()
        here.change(image=NEW, **PORT)
        here.wait_until_ready()
        return here

    def restart_with_old_parent(self, here: Namespace) -> None:
        """Restart Metacontroller while MyResources are listed as they were; wait for the sync of the old spec."""
        self.api.lag()
        self.metacontroller.restart()
        here.eventually(lambda: here.get("MyResource", "web")["status"]["observedGeneration"] == 1)
        here.wait_until_quiet()


@pytest.fixture(scope="module")
def scene(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Return a new cluster, as another Metacontroller would disturb."""
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("stale"))
    metacontroller, trusting = cluster.metacontroller(mode), Hook("trusting-hook", cluster.folder, version=TRUSTING)
    try:
        cluster.start()
        trusting.start()
        with LaggingApiServer(cluster.control_plane.client(METACONTROLLER).http) as api:
            option = f"--kubeconfig={api.kubeconfig(cluster.folder / 'lagging.kubeconfig')}"
            metacontroller.command = [
                option if word.startswith("--kubeconfig=") else word for word in metacontroller.command
            ]
            metacontroller.start()
            yield Scene(cluster, api, metacontroller, trusting)
            metacontroller.stop()
    finally:
        metacontroller.stop()
        trusting.stop()
        cluster.stop()


@pytest.fixture(name="changed")
def _changed(scene: Scene) -> Iterator[Callable[[str, Hook], Namespace]]:
    """Return what changes a MyResource; afterwards nothing lags."""
    made = []

    def changed(name: str, hook: Hook) -> Namespace:
        made.append(scene.changed(name, hook))
        return made[-1]

    yield changed
    scene.api.catch_up()
    for here in made:
        here.close()


def test_a_stale_request_changes_no_child_and_the_newer_spec_follows(
    scene: Scene, changed: Callable[[str, Hook], Namespace]
) -> None:
    here = changed("careful", scene.cluster.hook)
    done = here.since()

    scene.restart_with_old_parent(here)
    assert done.children == []
    assert (here.main()["image"], here.message()) == (
        NEW,
        "Waiting for Metacontroller to send the generation that Deployment web-deployment was made for.",
    )

    scene.api.catch_up()
    here.wait_until_ready()
    assert done.children == []
    assert here.main()["image"] == NEW


def test_a_hook_that_ignores_the_stamp_undoes_a_newer_spec(
    scene: Scene, changed: Callable[[str, Hook], Namespace]
) -> None:
    here = changed("trusting", scene.trusting)
    done = here.since()

    scene.restart_with_old_parent(here)
    assert "delete services web" in done.children
    assert (here.main()["image"], here.find("Service")) == (OLD, None)

    scene.api.catch_up()
    here.wait_until_ready()
    assert (here.main()["image"], here.find("Service") is None) == (NEW, False)


TOUCH = {"metadata": {"annotations": {"example.com/touched": "1"}}}


def lose_pod(here: Namespace) -> None:
    """Let a Pod be unready for a while, in which requests have the status from before."""
    here.edit("MyResource", TOUCH, "web")
    here.wait_until_quiet()
    pod = here.client.all("Pod", here.name)[0]
    for status in ("False", "True"):
        since = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {"type": "Ready", "status": status, "lastTransitionTime": since}
        change = {"status": {"conditions": [*pod["status"]["conditions"][:-1], ready]}}
        here.client.change("Pod", here.name, pod["metadata"]["name"], change, part="/status")
        here.eventually(lambda: condition(here.get("MyResource", "web"), "Ready")["status"] == status)  # noqa: B023 - it is called here


@pytest.mark.parametrize(
    ("last_event", "change"),
    [
        pytest.param('"generation":2', lambda here: here.change(image=NEW), id="another image"),
        pytest.param("example.com/touched", lose_pod, id="a lost Pod"),
    ],
)
def test_transition_times_stay_those_of_the_transitions_while_requests_have_an_old_status(
    scene: Scene, last_event: str, change: Callable[[Namespace], None]
) -> None:
    """Ready is False and True again before Metacontroller's cache has either."""
    scene.cluster.client.apply(controller(scene.cluster.hook.url))
    here = Namespace(scene.cluster, f"lags{next(NUMBERS)}")
    here.ready(image=OLD, replicas=2)
    here.wait_until_quiet(2.2)  # times are in whole seconds
    before = time.time()

    scene.api.hold_after(last_event)
    change(here)
    here.eventually(lambda: len(readiness(scene, here, before)) >= 2)
    here.wait_until_quiet(2.2)
    scene.api.catch_up()
    here.wait_until_ready()

    statuses = changed(scene, here, before)
    assert readiness(scene, here, before) == ["False", "True"]
    assert backward(statuses) == []
    assert moves(statuses) == []
    here.close()


def changed(scene: Scene, here: Namespace, since: float) -> list[Written]:
    return [each for each in written(scene.cluster.record, since) if each.key.namespace == here.name]


def readiness(scene: Scene, here: Namespace, since: float) -> list[str]:
    """Return the sequence of statuses of Ready."""
    every = [condition(each.after.item, "Ready")["status"] for each in changed(scene, here, since)]
    return [status for status, _ in itertools.groupby(every)]
