"""Runs the commands of docs/contributing/hook-on-your-laptop.md: a MyResource goes to the laptop's hook, and back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.bare_cluster import BareCluster, running
from tests.e2e.cluster import started, stopped
from tests.e2e.hook import NEXT, Hook
from tests.e2e.installed import ROOT
from tests.e2e.namespace import PORT, Namespace
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

    bare: BareCluster
    laptop: Hook
    here: Namespace

    def run(self, *commands: str) -> str:
        """Run kubectl *commands* of the page in the directory of laptop.yaml, and return their output."""
        shell = self.bare.shell(self.bare.cluster.folder)
        return "".join(shell.run(command) for command in commands)

    def write(self, url: str) -> None:
        """Write the page's laptop.yaml with the address *url*."""
        (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
        (self.bare.cluster.folder / "laptop.yaml").write_text(text.replace(ADDRESS, url))

    def children(self) -> dict[str, tuple[str, str]]:
        """Return uid and resourceVersion of all children."""
        items = [
            (f"{kind} {item['metadata']['name']}", item["metadata"])
            for kind in ("Deployment", "Service")
            for item in self.here.client.all(kind, "default")
        ]
        return {name: (of["uid"], of["resourceVersion"]) for name, of in items if "ownerReferences" in of}

    def wait_for_hook(self, *, laptop: bool) -> None:
        """Wait until the hook on the laptop, or the one in the cluster, has written the status."""
        self.here.eventually(lambda: self.here.message().endswith("Next.") is laptop)
        self.here.wait_until_quiet()


@pytest.fixture(name="installed", scope="module")
def _installed(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("laptop")
    laptop = Hook("laptop", folder, version=NEXT)
    with running(mode, folder) as bare, started(laptop):
        bare.shell().run(INSTALL)
        bare.cluster.control_plane.controllers.restart()  # the controllers would discover a new kind late
        yield Desk(bare, laptop, Namespace(bare.cluster, "default"))


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
    children = desk.children()

    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)
    assert not desk.here.message("other").endswith("Next.")
    assert desk.children() == children

    desk.here.change(replicas=3)
    desk.here.change("other", replicas=3)
    desk.here.wait_until_ready()
    desk.here.wait_until_ready("other")
    desk.bare.shell().run(UPGRADE)  # keeps the selector
    desk.here.wait_until_quiet(2)
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


def test_while_the_laptop_does_not_listen_nothing_changes_and_the_hook_in_the_cluster_can_take_over(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)
    children = desk.children()

    with stopped(desk.laptop):
        desk.here.change(image="nginx:1.28")
        desk.here.eventually(lambda: "connection refused" in desk.run(ERRORS))
        desk.here.change("other", image="nginx:1.28")
        desk.here.wait_until_ready("other")
        for name in ("Deployment web-deployment", "Service web"):
            assert desk.children()[name] == children[name]

        desk.run(RETURN)
        desk.here.wait_until_ready()
        assert desk.here.main()["image"] == "nginx:1.28"
