"""Runs the commands of docs/contributing/hook-on-your-laptop.md: a MyResource goes to the laptop's hook, and back."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster
from tests.e2e.hook import NEXT, Hook
from tests.e2e.installed import ROOT
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.proxy import Proxy
from tests.e2e.real_kubectl import require_kubectl
from tests.e2e.shell import Shell
from tests.e2e.test_chart import INSTALL, UPGRADE

PAGE = (ROOT / "docs/contributing/hook-on-your-laptop.md").read_text()
ADDRESS = "http://host.docker.internal:8080"

RESTRICT = (
    "kubectl patch compositecontroller myresource --type=merge -p "
    """'{"spec":{"parentResource":{"labelSelector":{"matchExpressions":[{"key":"laptop","operator":"DoesNotExist"}]}}}}'"""
)
CREATE = "kubectl apply -f laptop.yaml"
SEND = "kubectl label myresource web laptop=alice"
RETURN = "kubectl label myresource web laptop-"
ERRORS = "kubectl get events --field-selector reason=SyncError"
DELETE = "kubectl delete compositecontroller laptop-alice"
RELEASE = (
    "kubectl patch compositecontroller myresource --type=merge "
    """-p '{"spec":{"parentResource":{"labelSelector":null}}}'"""
)


@dataclass(frozen=True)
class Desk:
    """A cluster with the chart's installation, and a hook on a laptop, whose messages end in ``Next.``"""

    cluster: Cluster
    service: Proxy
    """Resolves the name of the Service, as there is no DNS."""
    laptop: Hook
    here: Namespace

    def run(self, *commands: str) -> str:
        """Run kubectl *commands* of the page in the directory of laptop.yaml, and return their output."""
        kubeconfig = str(self.cluster.control_plane.kubeconfig("admin"))
        environment = {**os.environ, "KUBECONFIG": kubeconfig, "PATH": require_kubectl()}
        return "".join(
            subprocess.run(  # noqa: S602 - a command of the page
                command,
                shell=True,
                cwd=self.cluster.folder,
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
            for command in commands
        )

    @contextmanager
    def without_laptop(self) -> Iterator[None]:
        """Stop the hook on the laptop, and start it again after the block."""
        self.laptop.stop()
        try:
            yield
        finally:
            self.laptop.start()

    def helm(self, command: str) -> None:
        """Run a Helm *command*."""
        Shell(self.cluster.client, self.cluster.control_plane.kubeconfig("admin")).run(command)

    def write(self, url: str) -> None:
        """Write the page's laptop.yaml with the address *url*."""
        (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
        (self.cluster.folder / "laptop.yaml").write_text(text.replace(ADDRESS, url))

    def children(self) -> dict[str, tuple[str, str]]:
        """Return uid and resourceVersion of all children."""
        items = [
            (f"{kind} {item['metadata']['name']}", item["metadata"])
            for kind in ("Deployment", "Service")
            for item in self.here.client.all(kind, "default")
        ]
        return {name: (of["uid"], of["resourceVersion"]) for name, of in items if "ownerReferences" in of}

    def wait_for_hook(self, *, laptop: bool, name: str = "web") -> None:
        """Wait until the hook on the laptop, or the one in the cluster, has written the status."""
        self.here.eventually(lambda: self.here.message(name).endswith("Next.") is laptop)
        self.here.wait_until_quiet()


@pytest.fixture(name="installed", scope="module")
def _installed(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    require_kubectl()
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("laptop"))
    laptop = Hook("laptop", cluster.folder, version=NEXT)
    with Proxy(cluster.url) as service:
        metacontroller = cluster.metacontroller(mode, service.url)
        try:
            cluster.start(installed=False)
            laptop.start()
            metacontroller.start()
            desk = Desk(cluster, service, laptop, Namespace(cluster, "default"))
            desk.helm(INSTALL)
            cluster.control_plane.controllers.restart()  # the controllers would discover a new kind late
            yield desk
        finally:
            metacontroller.stop()
            laptop.stop()
            cluster.stop()


@pytest.fixture(name="desk")
def _desk(installed: Desk) -> Iterator[Desk]:
    """Return the desk with two MyResources that are Ready; afterwards, remove all that a test created."""
    installed.write(installed.laptop.url)
    for name in ("web", "other"):
        installed.here.make(name, replicas=2, **PORT)
    for name in ("web", "other"):
        installed.here.wait_until_ready(name)
    yield installed
    installed.run(f"{DELETE} --ignore-not-found", RELEASE)
    installed.here.close_myresources()


def test_only_a_labelled_parent_goes_to_the_laptop_and_back_and_no_child_is_written(desk: Desk) -> None:
    children, done = desk.children(), desk.here.since()

    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)
    assert not desk.here.message("other").endswith("Next.")
    assert desk.children() == children

    desk.here.change(replicas=3)
    desk.here.change("other", replicas=3)
    desk.here.wait_until_ready()
    desk.here.wait_until_ready("other")
    desk.wait_for_hook(laptop=True)
    assert not desk.here.message("other").endswith("Next.")
    children, done = desk.children(), desk.here.since()

    desk.run(RETURN)
    desk.wait_for_hook(laptop=False)
    desk.run(DELETE, RELEASE)
    desk.here.wait_until_quiet(2)
    assert desk.children() == children
    assert done.children == []
    desk.here.change(image="nginx:1.28")
    desk.here.wait_until_ready()
    assert not desk.here.message().endswith("Next.")


def test_while_the_laptop_does_not_listen_nothing_changes_and_afterwards_nothing_is_lost(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)
    children, done = desk.children(), desk.here.since()

    with desk.without_laptop():
        desk.here.change(image="nginx:1.28")
        desk.here.eventually(lambda: "connection refused" in desk.run(ERRORS))
        desk.here.change("other", image="nginx:1.28")
        desk.here.wait_until_ready("other")
        assert [write for write in done.writes if write.rpartition(" ")[2].startswith("web")] == []
        assert {name: of for name, of in desk.children().items() if "web" in name} == {
            name: of for name, of in children.items() if "web" in name
        }

    desk.here.wait_until_ready()
    desk.wait_for_hook(laptop=True)
    assert desk.here.main()["image"] == "nginx:1.28"


def test_without_the_laptop_the_hook_in_the_cluster_takes_over_when_the_label_is_removed(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)

    with desk.without_laptop():
        desk.here.change(image="nginx:1.28")
        desk.run(RETURN)
        desk.here.wait_until_ready()
        assert desk.here.main()["image"] == "nginx:1.28"


def test_an_upgrade_of_the_chart_keeps_the_selector(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)

    desk.helm(UPGRADE)

    controller = desk.here.client.get("CompositeController", "", "myresource") or {}
    assert "labelSelector" in controller["spec"]["parentResource"]
    desk.here.wait_until_quiet(2)
    assert desk.here.message().endswith("Next.")
