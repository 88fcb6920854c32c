"""Metacontroller starts while its API server lags: an old spec does not undo a newer one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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

OLD, NEW = "nginx:1.27", "nginx:1.28"


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
    assert (here.main()["image"], here.message()) == (NEW, "Waiting for Deployment web-deployment to be updated.")

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
