"""The plugin of kubectl, run by the real kubectl; and the entries for Argo CD, added by it."""

from tests.docs.commands import commands
from tests.e2e.any_mode import ANY_MODE
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.health.argo_cd import data
from tests.simulated.worlds import foreign, service

pytestmark = ANY_MODE


def test_kubectl_explains_shows_and_restarts_a_myresource(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready(replicas=2, ports=[{"containerPort": 80}])
    before = kubectl.run("kubectl myresource tree web", here.name).splitlines()

    restarted = kubectl.run("kubectl myresource restart web", here.name)
    assert "Ready is True" in kubectl.run("kubectl myresource wait web", here.name)
    after = kubectl.run("kubectl myresource tree web", here.name).splitlines()

    assert restarted == "myresource.mygroup.example.com/web patched\n"
    assert [line.split("/")[0] for line in before[1:]] == [
        "MyResource",
        "|-- Deployment",
        "|   `-- ReplicaSet",
        "|       |-- Pod",
        "|       `-- Pod",
        "`-- Service",
    ]
    assert [line.split("   ")[-1].strip() for line in before[1:3]] == ["Ready (Available)", "2 of 2 available"]
    assert len(after) == len(before)
    assert not set(after[3:6]) & set(before[3:6])
    times = [line.split()[0] for line in kubectl.run("kubectl myresource events web", here.name).splitlines()[1:]]
    assert len(times) > 3
    assert times == sorted(times)


def test_kubectl_explains_a_failure_with_commands_to_copy(here: Namespace, kubectl: RealKubectl) -> None:
    here.make(image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")

    explained = kubectl.run("kubectl myresource explain web", here.name)

    assert here.message() in explained
    assert f"kubectl describe pods -l myresource=web -n {here.name}" in explained


def test_kubectl_explains_a_refusal_with_the_error_of_the_api_server(here: Namespace, kubectl: RealKubectl) -> None:
    here.forbid("forbidden")
    here.make(image="forbidden:1")
    here.eventually(lambda: any(event["reason"] == "SyncError" for event in here.client.all("Event", here.name)))

    explained = kubectl.run("kubectl myresource explain web", here.name)

    (error,) = (line for line in explained.splitlines() if line.startswith("Error "))
    assert "forbidden by a policy" in error


def test_waiting_ends_when_the_time_is_over_or_action_is_needed(here: Namespace, kubectl: RealKubectl) -> None:
    here.make(image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")
    in_time = kubectl.ends("kubectl myresource wait web --timeout=1s", here.name)
    here.put(foreign(service(app="other")))
    here.change(**PORT)
    stalled = kubectl.ends("kubectl myresource wait web", here.name)

    assert in_time[0] == stalled[0] == 1
    title = f"MyResource web in namespace {here.name}: Ready is False"
    assert in_time[1].startswith(f"{title}; no action is needed yet (Reconciling)\n")
    assert stalled[1].startswith(f"{title}; action is needed (Stalled)\n")


def test_an_error_of_kubectl_is_shown_as_it_is(here: Namespace, kubectl: RealKubectl) -> None:
    code, printed = kubectl.ends("kubectl myresource explain other", here.name)

    assert (code, printed) == kubectl.ends("kubectl get myresources.mygroup.example.com other", here.name)
    assert "NotFound" in printed


def test_kubectl_completes_commands_and_names(here: Namespace, kubectl: RealKubectl) -> None:
    here.make("web")

    assert "tree\t" in kubectl.run("kubectl __complete myresource tr", here.name)
    names = f"kubectl __complete myresource tree -n {here.name}"
    assert "web" in kubectl.run(f"{names} ''", here.name).splitlines()
    assert "web" not in kubectl.run(f"{names} x", here.name).splitlines()


def test_the_command_of_the_page_adds_the_entries_to_the_configmap_of_argo_cd(
    here: Namespace, kubectl: RealKubectl
) -> None:
    kubectl.run("kubectl create configmap argocd-cm --from-literal=url=https://argocd.example.com", here.name)

    (patch,) = (each for each in commands("docs/argo-cd.md") if each.startswith("kubectl patch"))
    kubectl.run(patch.replace(" -n argocd", ""), here.name)

    assert here.get("ConfigMap", "argocd-cm")["data"] == {**data(), "url": "https://argocd.example.com"}
