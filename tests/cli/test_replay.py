"""``myresource replay``: what the operator gives to the toolkit's command, whose tests have what it compares."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.bound import COLLECT_COMMANDS
from app.core.child_metadata import PASSING_ANNOTATIONS
from tests.cli.command import LISTENS, CommandResult, call
from tests.cli.test_diff import in_cluster, request_of, using
from tests.requests.builders import MYRESOURCE, NOW, NOW_TEXT, Json, my_resource, reason, sync
from toolkit.cli.bound import MODES
from toolkit.mutations import replaced
from toolkit.served.process import Served

SAME = CommandResult(0, "1 request: 1 the same, 0 differ; no Pods restart\n", "")


@pytest.fixture(name="write")
def _write(tmp_path: Path) -> Callable[..., str]:
    def write(document: Json, name: str = "request.json") -> str:
        file = tmp_path / name
        file.write_text(json.dumps(document))
        return str(file)

    return write


def settled(mode: str = MODES[0], **fields: Any) -> Json:
    """Return the sync request for a MyResource that is Ready, status and all."""
    parent = my_resource(**fields)
    status = {**sync(parent, *in_cluster(parent, mode))["status"], "observedGeneration": 1}
    return request_of({**parent, "status": status}, *in_cluster(parent, mode))


def recorded(request: Json) -> Json:
    """Return *request* with the response of this version, as myresource record writes it."""
    response = json.loads(MYRESOURCE.handle_sync(json.dumps(request).encode(), NOW).body)
    return {"path": "/sync", "time": NOW_TEXT, "status": 200, "request": request, "response": response}


def use_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this version one whose Pods get 60 seconds to end."""
    template = "app.core.desired.deployment"
    usual = sys.modules[template].pod_template
    place = ("spec", "terminationGracePeriodSeconds")
    monkeypatch.setattr(
        f"{template}.pod_template",
        lambda *given: replaced(usual(*given), place[:1], lambda spec: {**spec, place[1]: 60}),
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_recorded", [True, False], ids=["with its response", "without a response"])
def test_the_same_version_has_no_difference_and_another_one_shows_what_restarts(
    mode: str, *, is_recorded: bool, write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    request = settled(mode)
    file = write(recorded(request) if is_recorded else request)

    assert call("replay", file) == SAME
    use_another_version(monkeypatch)
    assert call("replay", file).out.endswith("; Pods of 1 MyResource would restart\n")


def test_what_depends_on_times_and_on_managed_fields_is_no_difference(write: Callable[..., str]) -> None:
    """The request is decided at the time of the recording: today its wait is too long."""
    waiting = {"what": "Deployment web-deployment", "since": NOW_TEXT}
    condition = {"type": "Ready", "status": "False", "lastTransitionTime": NOW_TEXT, "observedGeneration": 1}
    document = recorded(request_of(my_resource(status={"conditions": [condition], "waiting": waiting})))
    response = document["response"]
    assert response["status"]["waiting"]["since"] == NOW_TEXT

    response["status"]["waiting"]["since"] = "2020-01-01T00:00:00Z"
    response["status"]["override"] = {"since": NOW_TEXT}
    response["status"]["conditions"].append({"type": "ForeignFields", "status": "True"})
    response["children"][0]["metadata"]["annotations"] |= dict.fromkeys(PASSING_ANNOTATIONS, "x")

    assert call("replay", write(document)) == SAME
    del document["time"]
    assert "Building -> Failed NotApplied" in call("replay", write(document)).out


# Live objects


def live(parent: Json, mode: str = MODES[0]) -> tuple[Json, Json]:
    """Return two lists, as kubectl prints them: the MyResource, and its children."""
    children = in_cluster(parent, mode)
    ready = {**parent, "status": sync(parent, *children)["status"]}
    return {"apiVersion": "v1", "kind": "List", "items": [ready]}, {
        "apiVersion": "v1",
        "kind": "List",
        "items": children,
    }


@pytest.mark.parametrize("mode", MODES)
def test_live_objects_are_the_same_also_if_a_kind_was_not_collected(mode: str, write: Callable[..., str]) -> None:
    parents, children = live(using("settings", ports=[{"containerPort": 80}]), mode)

    assert call("replay", write(parents, "parents"), write(children, "children")) == SAME


def test_a_service_of_another_owner_has_the_name_of_a_child(write: Callable[..., str]) -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    metadata = {"name": "web", "namespace": "default"}
    foreign = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": "theirs"}}}
    (deployment, _) = in_cluster(parent)

    assert reason(sync(parent, deployment)) != "NameConflict"
    ended = call("replay", write(live(parent)[0]), write(deployment, "d"), write(foreign, "s"))
    assert ": status Ready Available -> Failed NameConflict\n" in ended.out


def test_the_commands_of_from_cluster_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    parents, children = live(my_resource(ports=[{"containerPort": 80}]))
    by_kind = {
        "myresources.mygroup.example.com": parents["items"],
        "deployments.apps": [item for item in children["items"] if item["kind"] == "Deployment"],
        "services,ingress,hpa,pdb": [item for item in children["items"] if item["kind"] == "Service"],
        "configmaps": [],
    }
    for resource, items in by_kind.items():
        (tmp_path / f"{resource}.list").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    kubectl, myresource = tmp_path / "kubectl", tmp_path / "myresource"
    kubectl.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls; exec cat {tmp_path}/"$2".list\n')
    myresource.write_text(f'#!/bin/sh\nexec {sys.executable} -m app "$@"\n')
    for tool in (kubectl, myresource):
        tool.chmod(0o755)
    root = Path(__file__).parent.parent.parent
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(root)}

    shell = ["/bin/bash", "-ec", f"exec 2>&1\n{COLLECT_COMMANDS}"]
    printed = subprocess.check_output(shell, cwd=tmp_path, env=environment, text=True)

    assert call("replay", "--from-cluster") == CommandResult(0, f"{COLLECT_COMMANDS}\n", "")
    assert printed == SAME.out
    assert (tmp_path / "others.json").stat().st_mode & 0o777 == 0o600
    assert all("--all-namespaces" in line for line in (tmp_path / "calls").read_text().splitlines())


# Another version at a URL


def test_a_url_is_called_and_one_that_answers_nothing_is_to_be_served(
    operator: Served, write: Callable[..., str]
) -> None:
    file = write(settled())

    assert call("replay", "--against", operator.url, file) == SAME
    assert call("replay", "--against", "http://127.0.0.1:1", file).err.endswith("with: myresource serve\n")


# Signals


def test_ctrl_c_exits_with_130_and_no_message(write: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        command = [*LISTENS, sys.executable, "-m", "app", "replay", "--against", url, write(settled())]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            connection, _ = silent.accept()
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=10)
            errors = process.stderr.read() if process.stderr else ""
            connection.close()

    assert (code, errors) == (130, "")
