"""Runs the commands of docs/contributing/hook-on-your-laptop.md: a MyResource goes to the laptop's hook, and back."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import helm_python as helm
import pytest

from metahook import SyncResponse
from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.any_mode import ANY_MODE
from tests.e2e.cluster import Cluster
from tests.e2e.hook import NEXT, Hook
from tests.e2e.installed import ROOT
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.proxy import Proxy
from tests.e2e.real_kubectl import require_kubectl
from tests.e2e.recorder import Recorder
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

_OTHER_TEMPLATE = """
import app.core.controller
from tests.e2e.test_laptop import with_another_template

app.core.controller.sync = with_another_template(app.core.controller.sync)

from app.cli import main

main()
"""


def with_another_template(sync: Any) -> Any:
    """Return a function like *sync* that adds an annotation to the Pod template."""

    def changed(*arguments: Any, **named: Any) -> SyncResponse:
        response: SyncResponse = sync(*arguments, **named)
        children = deepcopy(response.children)
        for child in children:
            if child["kind"] == "Deployment":
                child["spec"]["template"]["metadata"]["annotations"] = {"example.com/laptop": "yes"}
        return replace(response, children=children)

    return changed


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

    def write(self, url: str, *, timeout: str = "60s", revision: str = "") -> None:
        """Write the page's laptop.yaml with the address *url*, a *timeout*, and a *revision* such as ``?rev=2``."""
        (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
        text = re.sub(r"/(sync|customize)\b", rf"/\1{revision}", text.replace(ADDRESS, url))
        (self.cluster.folder / "laptop.yaml").write_text(text.replace("timeout: 60s", f"timeout: {timeout}"))

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
        assert [write for write in done.writes if "web" in write] == []
        assert {name: of for name, of in desk.children().items() if "web" in name} == {
            name: of for name, of in children.items() if "web" in name
        }

    desk.here.wait_until_ready()
    desk.wait_for_hook(laptop=True)
    assert desk.here.main()["image"] == "nginx:1.28"


@ANY_MODE
def test_without_the_laptop_the_hook_in_the_cluster_takes_over_when_the_label_is_removed(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)

    with desk.without_laptop():
        desk.here.change(image="nginx:1.28")
        desk.run(RETURN)
        desk.here.wait_until_ready()
        assert desk.here.main()["image"] == "nginx:1.28"


@ANY_MODE
def test_a_breakpoint_longer_than_the_timeout_is_an_error_that_is_retried(desk: Desk) -> None:
    desk.write(desk.laptop.url, timeout="1s")
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)
    done = desk.here.since()

    os.kill(desk.laptop.pid, signal.SIGSTOP)
    try:
        desk.here.change(image="nginx:1.28")
        desk.here.eventually(lambda: "Client.Timeout exceeded" in desk.run(ERRORS))
        assert done.writes == []
    finally:
        os.kill(desk.laptop.pid, signal.SIGCONT)

    desk.here.wait_until_ready()
    assert desk.here.main()["image"] == "nginx:1.28"


def test_without_its_compositecontroller_a_parent_keeps_its_children_and_is_not_synced(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)
    children, done = desk.children(), desk.here.since()

    desk.run(DELETE)
    desk.here.change(image="nginx:1.28")
    desk.here.delete("Service")
    desk.here.wait_until_quiet(3)
    assert done.writes == []
    assert desk.children() == {name: of for name, of in children.items() if name != "Service web"}
    assert "finalizers" not in desk.here.get("MyResource")["metadata"]

    desk.run(RELEASE)
    desk.here.wait_until_ready()
    assert desk.here.main()["image"] == "nginx:1.28"
    assert desk.here.find("Service") is not None


def calls(desk: Desk, hook: str, name: str = "web") -> int:
    """Return how often *hook* of the laptop was called for a MyResource."""
    return len(list((desk.cluster.folder / "laptop").glob(f"[!.]*-{hook}-default-{name}.json")))


@ANY_MODE
def test_another_revision_in_the_url_calls_both_hooks_of_the_laptop_again(desk: Desk) -> None:
    recorder = Recorder(desk.cluster.folder, desk.laptop.url, desk.cluster.folder / "laptop")
    recorder.start()
    try:
        desk.write(recorder.url)
        desk.run(SEND, RESTRICT, CREATE)
        desk.wait_for_hook(laptop=True)
        before, children = (calls(desk, "sync"), calls(desk, "customize")), desk.children()

        desk.write(recorder.url, revision="?rev=2")
        desk.run(CREATE)

        desk.here.eventually(lambda: calls(desk, "sync") > before[0] and calls(desk, "customize") > before[1])
        desk.here.wait_until_quiet()
        assert desk.children() == children
    finally:
        recorder.stop()


def generation(desk: Desk, name: str = "web-deployment") -> int:
    found: int = desk.here.get("Deployment", name)["metadata"]["generation"]
    return found


@pytest.fixture(name="other_template")
def _other_template(desk: Desk) -> Iterator[None]:
    """Let laptop.yaml name a hook with another Pod template."""
    hook = Hook("other-template", desk.cluster.folder, version=(sys.executable, "-c", _OTHER_TEMPLATE))
    hook.start()
    desk.write(hook.url)
    yield
    desk.run(f"{DELETE} --ignore-not-found")
    hook.stop()


@pytest.mark.usefixtures("other_template")
def test_two_hooks_for_one_parent_overwrite_each_other_forever(desk: Desk) -> None:
    desk.run(SEND, CREATE)

    before = generation(desk)
    desk.here.eventually(lambda: generation(desk) > before + 10)


@pytest.mark.usefixtures("other_template")
def test_with_disjoint_selectors_each_hook_has_its_own_parents(desk: Desk) -> None:
    before = generation(desk), generation(desk, "other-deployment")

    desk.run(SEND, RESTRICT, CREATE)
    desk.here.eventually(lambda: generation(desk) > before[0])
    desk.here.wait_until_ready()
    desk.here.wait_until_quiet(3)

    assert (generation(desk), generation(desk, "other-deployment")) == (before[0] + 1, before[1])


@ANY_MODE
def test_an_upgrade_of_the_chart_keeps_the_selector(desk: Desk) -> None:
    desk.run(SEND, RESTRICT, CREATE)
    desk.wait_for_hook(laptop=True)

    desk.helm(UPGRADE)

    controller = desk.here.client.get("CompositeController", "", "myresource") or {}
    assert "labelSelector" in controller["spec"]["parentResource"]
    desk.here.wait_until_quiet(2)
    assert desk.here.message().endswith("Next.")


@ANY_MODE
def test_an_upgrade_of_the_chart_fails_if_its_url_was_patched(desk: Desk) -> None:
    chart = urls(desk)
    patch(desk, {hook: f"{ADDRESS}/{hook}" for hook in chart})

    try:
        with pytest.raises(helm.HelmError, match='conflicts with "kubectl-patch"'):
            desk.helm(UPGRADE)
        assert urls(desk) != chart
    finally:
        patch(desk, chart)
        desk.helm(UPGRADE)


@ANY_MODE
def test_a_service_that_points_elsewhere_causes_no_call(desk: Desk) -> None:
    desk.service.target = desk.laptop.url
    try:
        desk.here.wait_until_quiet(3)
        assert not desk.here.message().endswith("Next.")

        desk.here.touched()
        desk.wait_for_hook(laptop=True)
    finally:
        desk.service.target = desk.cluster.url


def urls(desk: Desk) -> dict[str, str]:
    """Return the URLs of the chart's hooks."""
    hooks = (desk.here.client.get("CompositeController", "", "myresource") or {})["spec"]["hooks"]
    return {hook: hooks[hook]["webhook"]["url"] for hook in hooks}


def patch(desk: Desk, urls: dict[str, str]) -> None:
    change = {"spec": {"hooks": {hook: {"webhook": {"url": url}} for hook, url in urls.items()}}}
    desk.here.client.change("CompositeController", "", "myresource", change, manager="kubectl-patch")


class Mistake(ThreadingHTTPServer):
    """A hook that responds to each sync with this status code and body."""

    daemon_threads = True

    def __init__(self, code: int, body: Json) -> None:
        super().__init__(("127.0.0.1", 0), _Mistaken)
        self.code, self.body, self.calls = code, body, 0


class _Mistaken(BaseHTTPRequestHandler):
    server: Mistake

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        is_sync = self.path.startswith("/sync")
        self.server.calls += is_sync
        self.send_response(self.server.code if is_sync else 200)
        self.end_headers()
        self.wfile.write(json.dumps(self.server.body if is_sync else {"relatedResources": []}).encode())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def mistaken(desk: Desk, code: int, body: Json) -> Iterator[Mistake]:
    """Send ``web`` to a hook with this mistake until the block ends."""
    with Mistake(code, body) as server:
        threading.Thread(target=server.serve_forever, name="mistake", daemon=True).start()
        desk.write(f"http://127.0.0.1:{server.server_port}")
        desk.run(SEND, RESTRICT, CREATE)
        yield server
        desk.run(RETURN)
        server.shutdown()


def test_a_hook_that_lists_no_children_deletes_those_of_the_labelled_parent_alone(desk: Desk) -> None:
    children = desk.children()

    with mistaken(desk, 200, {"status": {"state": "Building"}, "children": []}):
        desk.here.eventually(lambda: desk.here.find("Deployment") is None and desk.here.find("Service") is None)
        assert desk.children() == {name: of for name, of in children.items() if "other" in name}

    desk.here.wait_until_ready()


@ANY_MODE
def test_a_hook_that_fails_changes_nothing(desk: Desk) -> None:
    children = desk.children()

    with mistaken(desk, 500, {}) as hook:
        desk.here.eventually(lambda: hook.calls > 5)
        assert desk.children() == children

    desk.wait_for_hook(laptop=False)
    assert desk.children() == children
