"""Runs the commands of install.md and operate.md of docs/clusters. Metacontroller calls the hook by Service name."""

import base64
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metahook.envtest.client import Refused
from metahook.envtest.control_plane import ADMIN
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.bare_cluster import BareCluster, running
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.hook import Hook
from tests.e2e.installed import ROOT
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.shell import Shell
from tests.e2e.statuses import condition
from tests.simulated.worlds import deployment, foreign, service
from toolkit.programs import find_or_skip

OPERATOR = "myresource-operator"

INSTALL = (
    "helm install myresource-operator charts/myresource-operator --namespace myresource-operator --create-namespace "
    "--set image.repository=registry.example.com/myresource-operator,image.tag=$version,"
    "docsUrl=https://git.example.com/docs --wait"
)
UPGRADE = (
    "helm upgrade myresource-operator charts/myresource-operator --namespace myresource-operator "
    "--reset-then-reuse-values --set image.tag=$version --wait"
)
ENCRYPT = (
    "helm upgrade myresource-operator charts/myresource-operator --namespace myresource-operator "
    "--reset-then-reuse-values --set tls.mode=helm --wait"
)
GUARD = (
    "helm upgrade myresource-operator charts/myresource-operator --namespace myresource-operator "
    "--reset-then-reuse-values --set admissionPolicy.enabled=true --wait"
)
LIMIT = (
    "helm upgrade myresource-operator charts/myresource-operator --namespace myresource-operator "
    "--reset-then-reuse-values --set 'allowedAnnotations={prometheus.io/,example.com/owner}' --wait"
)
UNINSTALL = "helm uninstall myresource-operator --namespace myresource-operator --wait"
DELETE_ALL = "kubectl delete myresources --all --all-namespaces"
APPLY = "kubectl apply -f examples/web.yaml"
WAIT = "kubectl wait --for=condition=Ready myresource/web --timeout=120s"


@pytest.fixture(scope="module")
def bare(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BareCluster]:
    """Return a new cluster, in which the operator was installed once, so that Metacontroller knows its kind."""
    with running(mode, tmp_path_factory.mktemp("chart")) as bare:
        for command in (INSTALL, UNINSTALL):
            bare.shell().run(command)
        bare.cluster.control_plane.controllers.restart()  # the controllers would discover a new kind late
        yield bare


@pytest.fixture
def shell(bare: BareCluster) -> Shell:
    """Return a shell before any installation."""
    return bare.shell()


@pytest.fixture
def here(bare: BareCluster) -> Namespace:
    """Return the namespace that the pages use."""
    return Namespace(bare.cluster, "default")


@pytest.fixture
def installed(shell: Shell, here: Namespace) -> Iterator[Shell]:
    """Return a shell after an installation; remove the installation, except its CRD, after the test."""
    shell.run(INSTALL)
    yield shell
    remove(shell, here)


def remove(shell: Shell, here: Namespace) -> None:
    """Delete the MyResources and their children, then the installation."""
    shell.run(DELETE_ALL)
    here.eventually(lambda: not here.client.all("Deployment", here.name))
    shell.run(UNINSTALL)


def printed(page: str) -> list[str]:
    """Return the words of the ``kubectl get`` output in *page*."""
    (block,) = re.findall(r"^```\n(NAME .*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    words: list[str] = block.split()
    return words


def test_three_commands_make_a_myresource_ready(installed: Shell, here: Namespace, bare: BareCluster) -> None:
    installed.run(APPLY)
    installed.run(WAIT)
    here.wait_until_ready()

    assert (
        installed.run("kubectl get myresource web").split()[:-1] == printed("docs/clusters/install.md")[:-1]
    )  # except the age
    assert bare.proxy.hosts == {f"{OPERATOR}.{OPERATOR}.svc"}
    enforced = "kubectl label namespace myresource-operator pod-security.kubernetes.io/enforce=restricted"
    assert "Warning" not in installed.run(enforced)  # it would be about Pods that are there


class Mounted:
    """A hook with TLS, and its Secrets as the kubelet mounts them: some time after an upgrade."""

    def __init__(self, bare: BareCluster, folder: Path) -> None:
        self._bare = bare
        self._folder = folder
        tls, tokens = (folder / f"{OPERATOR}-{name}" for name in ("tls", "token"))
        options = {f"tls-{name}": tls / file for name, file in _FILES.items()} | {"tokens": tokens}
        self.hook = Hook("tls-hook", bare.cluster.folder, *(f"--{name}={path}" for name, path in options.items()))
        bare.proxy.tls_target = self.hook.url

    def update(self) -> None:
        """Write the keys of the Secrets of the operator's namespace, a directory for each, and start the hook anew."""
        for secret in self._bare.cluster.client.all("Secret", OPERATOR):
            place = self._folder / secret["metadata"]["name"]
            place.mkdir(exist_ok=True)
            for key, value in secret["data"].items():
                (place / key).write_bytes(base64.b64decode(value))
        self.hook.stop()
        self.hook.start()


_FILES = {"cert": "tls.crt", "key": "tls.key", "client-ca": "ca.crt"}


@pytest.fixture
def mounted(installed: Shell, here: Namespace, bare: BareCluster, tmp_path: Path) -> Iterator[Mounted]:
    """Return the hook after an upgrade to TLS, which restarts no Pods."""
    here.ready()
    pods = here.pods()
    installed.run(ENCRYPT)
    made = Mounted(bare, tmp_path)
    made.update()
    try:
        here.wait_until_quiet()
        assert here.pods() == pods
        yield made
    finally:
        made.hook.stop()


def sync_errors(here: Namespace) -> int:
    """Return how many syncs failed."""
    return sum(each["count"] for each in here.client.all("Event", here.name) if each["reason"] == "SyncError")


def test_an_upgrade_renews_the_certificates_and_fails_no_call(
    installed: Shell, here: Namespace, mounted: Mounted, bare: BareCluster
) -> None:
    """Each time the hook has the earlier files at first, and then the new ones."""
    operators = Namespace(bare.cluster, OPERATOR)
    images = (f"nginx:1.{minor}" for minor in itertools.count())

    def sync() -> None:
        here.change(image=next(images))
        here.wait_until_ready()
        here.wait_until_quiet()

    sync()
    before = sync_errors(here)
    for lost in ("", f"{OPERATOR}-ca"):
        certificate = operators.get("Secret", f"{OPERATOR}-tls")["data"]["tls.crt"]
        if lost:
            operators.delete("Secret", lost)
        installed.run(UPGRADE)
        assert operators.get("Secret", f"{OPERATOR}-tls")["data"]["tls.crt"] != certificate
        sync()
        mounted.update()
        sync()
    assert sync_errors(here) == before
    assert bare.proxy.tunnels == {f"{OPERATOR}.{OPERATOR}.svc:443"}

    for name in ("tls", "ca", "client-tls"):
        operators.delete("Secret", f"{OPERATOR}-{name}")
    installed.run(UPGRADE)
    here.change(image=next(images))
    here.eventually(lambda: sync_errors(here) > before)  # so a failed call would have been seen


def make_beside(name: str, here: Namespace, bare: BareCluster) -> Json:
    """Create a MyResource, and a Service of its name before Metacontroller writes; return that Service."""
    with bare.proxy.holding():
        here.make(name, **PORT)
        here.eventually(lambda: any(f'"name":"{name}"'.encode() in body for body in bare.proxy.held))
        theirs = foreign(service(app="other"))
        here.put({**theirs, "metadata": {**theirs["metadata"], "name": name}})
        return here.get("Service", name)


def takes_over(bare: BareCluster, here: Namespace, kind: str, owner: Json, user: str = METACONTROLLER) -> bool:
    """Return whether *user* can make *owner* the controller of the object ``stray`` (dry run)."""
    client = bare.cluster.control_plane.client(user)
    change = {"metadata": {"ownerReferences": [{"name": "x", "uid": "1", "controller": True, **owner}]}}
    headers = {"Content-Type": "application/merge-patch+json"}
    where = client.path(kind, here.name, "stray")
    answer = client.http.patch(where, params={"dryRun": "All"}, content=json.dumps(change), headers=headers)
    assert answer.status_code in (200, 403), answer.text
    assert answer.is_success or "ValidatingAdmissionPolicy" in answer.text
    return answer.is_success


def test_the_admission_policy_refuses_a_takeover_that_server_side_apply_would_force(
    installed: Shell, here: Namespace, bare: BareCluster, mode: Mode
) -> None:
    """Without it, the Service gets another selector, and an owner with which it is deleted."""
    before = make_beside("open", here, bare)
    here.eventually(lambda: here.state_and_reason("open")[0] != "")
    here.wait_until_quiet()
    assert (here.get("Service", "open") == before) is (mode == "dynamic-apply")
    assert ("ownerReferences" in here.get("Service", "open")["metadata"]) is (mode == "server-side-apply")

    for item in (deployment("stray"), {**service(app="other"), "metadata": {"name": "stray"}}):
        here.put(foreign(item))
    ours = {"apiVersion": "mygroup.example.com/v1alpha1", "kind": "MyResource"}
    assert takes_over(bare, here, "Service", ours)
    installed.run(GUARD)
    here.eventually(lambda: not takes_over(bare, here, "Service", ours))

    policy = here.client.get("ValidatingAdmissionPolicy", "", f"{OPERATOR}-takeover")
    assert policy
    assert "expressionWarnings" not in policy["status"].get("typeChecking", {})

    before = make_beside("guarded", here, bare)
    here.wait_for_status("Failed", "NameConflict", "guarded")
    assert here.get("Service", "guarded") == before
    errors = [each["message"] for each in here.client.all("Event", here.name) if each["reason"] == "SyncError"]
    assert any("must not take it over" in error for error in errors) is (mode == "server-side-apply")
    uid = here.get("MyResource", "guarded")["metadata"]["uid"]
    here.edit("Service", {"metadata": {"labels": {"controller-uid": uid}}}, "guarded")
    here.eventually(lambda: "ownerReferences" in here.get("Service", "guarded")["metadata"])

    for kind in ("Service", "Deployment"):
        assert not takes_over(bare, here, kind, ours)
        assert takes_over(bare, here, kind, {**ours, "kind": "Other"})
        assert takes_over(bare, here, kind, ours, ADMIN)
        here.edit(kind, {"metadata": {"labels": {"controller-uid": "1"}}}, "stray")
        assert takes_over(bare, here, kind, ours)
        assert not takes_over(bare, here, kind, {**ours, "uid": "2"})
        here.delete(kind, "stray")
    here.delete("Service", "open")


def test_the_admission_policy_refuses_annotations_that_are_not_allowed_in_each_spec_that_changes(
    installed: Shell, here: Namespace
) -> None:
    forbidden: Json = {"podMetadata": {"annotations": {"sidecar.istio.io/userVolume": "x"}}}
    allowed: Json = {"podMetadata": {"annotations": {"prometheus.io/scrape": "true"}}}

    def is_refused(name: str, **spec: Any) -> bool:
        try:
            here.client.create(here.manifest(name, **spec), dry_run=True)
        except Refused as error:
            return "ValidatingAdmissionPolicy" in str(error) and "ask the cluster administrator" in str(error)
        return False

    here.ready(**PORT, **forbidden)
    installed.run(LIMIT)
    here.eventually(lambda: is_refused("other", **forbidden))

    assert is_refused("other", service={"annotations": {"a/b": "x"}})
    assert is_refused("other", propagate={"annotations": ["a/b"]})
    assert not is_refused("other", **PORT, **allowed)
    policy = here.client.get("ValidatingAdmissionPolicy", "", f"{OPERATOR}-annotations")
    assert policy
    assert "expressionWarnings" not in policy["status"].get("typeChecking", {})

    here.edit("MyResource", {"metadata": {"finalizers": ["example.com/any"]}}, "web")
    here.edit("MyResource", {"metadata": {"finalizers": []}}, "web")
    with pytest.raises(Refused, match="ask the cluster administrator"):
        here.change(image="nginx:1.28")
    here.change(image="nginx:1.28", podMetadata=None)
    here.wait_until_ready()


def test_after_an_early_uninstall_a_second_installation_takes_over(shell: Shell, here: Namespace) -> None:
    shell.run(INSTALL)
    here.ready(replicas=2, **PORT)
    here.ready("other")
    before = here.pods(), here.get("MyResource")["spec"], here.get("Service")["spec"]

    shell.run(UNINSTALL)
    here.delete("MyResource", "other")
    here.eventually(lambda: here.find("Deployment", "other-deployment") is None)
    here.wait_until_quiet(2)
    assert (here.pods(), here.get("MyResource")["spec"], here.get("Service")["spec"]) == before
    assert here.client.get("CompositeController", "", "myresource") is None

    shell.run(INSTALL)
    assert here.touched().children == []
    assert here.pods() == before[0]
    here.change(image="nginx:1.28")
    here.wait_until_ready()
    remove(shell, here)


@pytest.mark.usefixtures("installed")
def test_orphaned_children_keep_running_and_are_adopted_without_a_restart(
    bare: BareCluster, here: Namespace, tmp_path: Path
) -> None:
    shell = bare.shell(tmp_path)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/web.yaml").write_text(json.dumps(here.manifest(replicas=2, **PORT)))
    shell.run(APPLY)
    here.wait_until_ready()
    pods = here.pods()

    shell.run("kubectl delete myresource web --cascade=orphan")
    here.wait_until_quiet(2)
    assert here.pods() == pods
    assert all("ownerReferences" not in here.get(kind)["metadata"] for kind in ("Deployment", "Service"))

    shell.run(APPLY)
    here.wait_for_status("Failed", "NameConflict")
    shell.run("uid=$(kubectl get myresource web -o jsonpath='{.metadata.uid}')")
    shell.run('kubectl label --overwrite deployment web-deployment controller-uid="$uid"')
    shell.run('kubectl label --overwrite service web controller-uid="$uid" # if it has one')
    here.wait_until_ready()
    assert here.pods() == pods
    assert all("ownerReferences" in here.get(kind)["metadata"] for kind in ("Deployment", "Service"))


@pytest.mark.usefixtures("installed")
def test_a_backup_of_the_myresources_is_all_that_a_restore_needs(
    bare: BareCluster, here: Namespace, tmp_path: Path
) -> None:
    find_or_skip("jq")
    shell = bare.shell(tmp_path)
    here.ready(replicas=2, **PORT)
    before = here.get("MyResource")["spec"]

    shell.run(
        "kubectl get myresources --all-namespaces -o json | jq 'del(.items[].status, "
        """.items[].metadata["uid","resourceVersion","creationTimestamp","generation","managedFields"])' """
        "> myresources.json"
    )
    shell.run(DELETE_ALL)
    here.eventually(lambda: here.find("Deployment") is None)
    shell.run("kubectl create -f myresources.json")

    here.wait_until_ready()
    assert here.get("MyResource")["spec"] == before


def misconfigured(here: Namespace) -> str:
    """Return the reason of the condition OperatorMisconfigured; empty if there is none."""
    reason: str = condition(here.get("MyResource"), "OperatorMisconfigured").get("reason", "")
    return reason


def test_a_wrong_installation_is_a_condition_until_it_is_applied_again(installed: Shell, here: Namespace) -> None:
    resources = [{"apiVersion": "apps/v1", "resource": "deployments"}, {"apiVersion": "v1", "resource": "services"}]
    here.ready()
    assert misconfigured(here) == ""

    here.client.change("CompositeController", "", "myresource", {"spec": {"childResources": resources}})
    here.eventually(lambda: misconfigured(here) == "WrongUpdateMethod")
    assert here.state_and_reason() == ("Ready", "Available")

    installed.run("kubectl apply --server-side --force-conflicts -k metacontroller")
    here.touched()
    here.eventually(lambda: misconfigured(here) == "")


def test_uninstalled_in_order_nothing_is_left(shell: Shell, here: Namespace) -> None:
    shell.run(INSTALL)
    here.ready(**PORT)

    remove(shell, here)
    shell.run("kubectl delete crd myresources.mygroup.example.com")
    shell.run("kubectl delete namespace myresource-operator")

    for kind in ("ClusterRole", "ClusterRoleBinding", "CompositeController", "CustomResourceDefinition", "Namespace"):
        assert [item for item in here.client.all(kind) if "myresource" in item["metadata"]["name"]] == []


def test_without_helm_it_is_installed_by_two_commands_and_removed_with_all_myresources(
    shell: Shell, here: Namespace
) -> None:
    shell.run("kubectl apply --server-side -k metacontroller")
    shell.run("kubectl -n myresource-operator rollout status deployment/myresource-operator --timeout=120s")
    shell.run(APPLY)
    here.wait_until_ready()
    shell.run("kubectl apply --server-side --force-conflicts -k metacontroller")
    assert here.touched().writes == []

    shell.run("kubectl delete -k metacontroller")

    for kind in ("ClusterRole", "CompositeController", "CustomResourceDefinition", "Namespace"):
        assert [item for item in here.client.all(kind) if "myresource" in item["metadata"]["name"]] == []
