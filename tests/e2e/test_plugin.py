"""What the real kubectl runs and reads: our plugin, the commands in messages and pages, and rendered children."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from app.cli.plugin.explanation import filled
from app.cli.wrapping import COMMAND
from app.core.reasons import REASONS
from app.core.status.parent_status import TERMS
from metahook.simulator.objects import Json
from tests.api.examples.schedule import AWAKE, schedule
from tests.docs.documents import ROOT
from tests.e2e.namespace import PORT, Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.simulated.worlds import foreign, service


def commands_of_messages(here: Namespace) -> set[str]:
    """Return the commands of all messages and remedies; not those of conditions and reasons with a patch of their own.

    A command that reads logs is left out: the emulated kubelet serves none.
    """
    parent = here.get("MyResource")
    words = {"name": "web", "namespace": here.name, "uid": parent["metadata"]["uid"], "occupant": "service web"}
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
    kubectl.run("kubectl wait --for=condition=Stalled myresource/web --timeout=90s", here.name)
    assert here.state_and_reason() == ("Failed", "NameConflict")

    kubectl.run(here.message().partition("adopt it: ")[2], here.name)

    here.wait_until_ready()


def test_kubectl_explains_shows_and_restarts_a_myresource(here: Namespace, kubectl: RealKubectl) -> None:
    here.ready(replicas=2, ports=[{"containerPort": 80}])
    before = kubectl.run("kubectl myresource tree web", here.name).splitlines()

    page = (ROOT / "docs/reference/children.md").read_text()
    by_label, by_uid = (line.strip() for line in page.splitlines() if "custom-columns=KIND" in line)
    labelled, children = (kubectl.run(command, here.name).splitlines()[1:] for command in (by_label, by_uid))
    head, wide = kubectl.run("kubectl get myresource web -o wide", here.name).splitlines()

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
    assert [row.split() for row in children] == [["Deployment", "web-deployment", "web"], ["Service", "web", "web"]]
    (ours,) = (name for kind, name, _ in map(str.split, labelled) if kind == "ReplicaSet")
    assert sorted({(kind, owner) for kind, _, owner in map(str.split, labelled)}) == [
        ("Deployment", "web"),
        ("Pod", ours),
        ("ReplicaSet", "web-deployment"),
        ("Service", "web"),
    ]
    columns = "NAME READY STATE REASON IMAGE REPLICAS UPDATED READY PODS AGE MEMORY ADDRESS NEXT MESSAGE"
    assert head.split() == columns.split()
    assert f" web.{here.name}.svc:80 " in wide
    assert len(after) == len(before)
    assert not set(after[3:6]) & set(before[3:6])

    assert "tree\t" in kubectl.run("kubectl __complete myresource tr", here.name)
    completed = kubectl.run(f"kubectl __complete myresource tree -n {here.name} ''", here.name)
    assert "web" in completed.splitlines()


def test_kubectl_explains_a_refusal_with_the_error_of_the_api_server(here: Namespace, kubectl: RealKubectl) -> None:
    here.forbid("forbidden")
    here.make(image="forbidden:1")
    here.eventually(lambda: any(event["reason"] == "SyncError" for event in here.client.all("Event", here.name)))

    explained = kubectl.run("kubectl myresource explain web", here.name)

    (error,) = (line for line in explained.splitlines() if line.startswith("Error "))
    assert "forbidden by a policy" in error


def rendered(file: Path, *options: str) -> str:
    render = [sys.executable, "-m", "app", "render", "-f", str(file), *options]
    return subprocess.run(render, capture_output=True, check=True, text=True).stdout


def applied(kubectl: RealKubectl, manifests: str, folder: Path) -> list[Json]:
    """Return the objects that kubectl would apply."""
    (folder / "manifests").write_text(manifests)
    found = json.loads(kubectl.run("kubectl apply --dry-run=client -o json -f manifests", "default", folder))
    return list(found["items"]) if found["kind"] == "List" else [found]


@pytest.mark.parametrize(("example", "output"), [("minimal", "yaml"), ("web", "json"), ("full", "yaml")])
def test_kubectl_applies_what_is_rendered(kubectl: RealKubectl, tmp_path: Path, example: str, output: str) -> None:
    found = applied(kubectl, rendered(ROOT / f"examples/{example}.yaml", "-o", output), tmp_path)

    optional = ["HorizontalPodAutoscaler", "Ingress", "PodDisruptionBudget", "Service"] if example == "full" else []
    assert sorted(item["kind"] for item in found) == ["Deployment", *optional]
