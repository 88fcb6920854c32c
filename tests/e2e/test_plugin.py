"""The plugin of kubectl, and the commands in messages, run by the real kubectl; and the entries for Argo CD."""

from collections import defaultdict

from app.cli.plugin.explanation import filled
from app.cli.wrapping import COMMAND
from app.core.reasons import REASONS
from app.core.status.glossary import TERMS
from tests.api.examples.schedule import AWAKE, schedule
from tests.docs.commands import commands
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.health.argo_cd import data
from tests.simulated.worlds import foreign, service


def commands_of_messages(here: Namespace) -> set[str]:
    """Return the commands of all messages and remedies; not those of conditions and reasons with a patch of their own.

    A command that reads logs is left out: the emulated kubelet serves none.
    """
    parent = here.get("MyResource")
    words = {"name": "web", "namespace": here.name, "uid": parent["metadata"]["uid"], "handover": "service web"}
    given = defaultdict(str, words | {"described": "myresource web", "command": "describe pods"})
    messages = [reason.message.format_map(given) for reason in REASONS.values()]
    remedies = [reason.remedy for reason in REASONS.values()] + [term.remedy for term in TERMS]
    found = {
        command[0]
        for text in (*messages, *(filled(each, parent) for each in remedies))
        for command in COMMAND.finditer(text)
    }
    return {each for each in found if each.startswith("kubectl ") and not each.startswith("kubectl logs")}


def test_the_commands_of_all_messages_are_accepted(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready(**PORT, **schedule(**AWAKE))
    kubectl.run("kubectl rollout pause deployment web-deployment", here.name)
    here.change(image="nginx:1.28")
    here.wait_for_status("Failed", "Paused")
    commands = commands_of_messages(here)
    resume = f"kubectl rollout resume deployment web-deployment -n {here.name}"

    resumed = kubectl.run(resume, here.name)
    here.wait_until_ready()
    ended = {command: kubectl.ends(command, here.name) for command in commands - {resume}}

    assert "resumed" in resumed
    assert len(ended) > 8
    assert {command: printed for command, (code, printed) in ended.items() if code} == {}


def test_the_command_of_a_conflict_hands_the_service_over(here: Namespace, kubectl: RealKubectl) -> None:
    here.put(foreign(service(myresource="other")))
    here.make(**PORT)
    here.wait_for_status("Failed", "NameConflict")

    kubectl.run(here.message().partition("adopt it: ")[2], here.name)

    here.wait_until_ready()


def test_the_plugin_names_fields_that_others_set_and_their_removal(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready(**PORT)
    kubectl.run("kubectl set env deployment/web-deployment THEIRS=1", here.name)
    kubectl.run("""kubectl patch service web -p '{"spec":{"externalIPs":["192.0.2.1"]}}'""", here.name)
    here.eventually(lambda: "externalIPs" in kubectl.run("kubectl myresource explain web", here.name))

    explained = kubectl.run("kubectl myresource explain web", here.name)
    kubectl.run(explained.partition("or remove them, beginning with: ")[2], here.name)
    here.wait_until_ready()
    after = kubectl.run("kubectl myresource explain web", here.name)

    assert "env[THEIRS] (kubectl-set); Service web: spec.externalIPs (kubectl-patch). Set them" in explained
    assert "Service web: spec.externalIPs (kubectl-patch). Set them" in after
    assert "THEIRS" not in after


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

    (patch,) = (each for each in commands("docs/clusters/gitops.md") if each.startswith("kubectl patch"))
    kubectl.run(patch.replace(" -n argocd", ""), here.name)

    assert here.get("ConfigMap", "argocd-cm")["data"] == {**data(), "url": "https://argocd.example.com"}
