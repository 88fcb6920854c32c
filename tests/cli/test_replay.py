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
import yaml

from app.cli.bound import COLLECT_COMMANDS
from metahook.protocol.request_builder import customize_request
from metahook.simulator.hook import Reply
from tests.cli.command import CommandResult, assert_one_line, call
from tests.cli.test_diff import MODES, in_cluster, request_of, using
from tests.requests.builders import MYRESOURCE, NOW, NOW_TEXT, my_resource, reason, sync
from toolkit.cli.served import serving
from toolkit.served.process import Served

Json = dict[str, Any]
Write = Callable[..., str]

TEMPLATE = "app.core.desired.manifests.deployment"
PATH = "spec.template.spec.terminationGracePeriodSeconds"

SAME = "1 request: 1 the same, 0 differ; no Pods restart"
RESTARTS = f"Deployment web-deployment changed ({PATH}); status Ready Available -> Building Building"
RESTARTED = "1 request: 0 the same, 1 differs; Pods of 1 MyResource would restart"


@pytest.fixture(name="write")
def _write(tmp_path: Path) -> Write:
    def write(document: Any, name: str = "request.json") -> str:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        return str(file)

    return write


def settled(mode: str = "dynamic-apply", **fields: Any) -> Json:
    """Return the sync request for a MyResource that is Ready, status and all."""
    parent = my_resource(**fields)
    status = {**sync(parent, *in_cluster(parent, mode))["status"], "observedGeneration": 1}
    return request_of({**parent, "status": status}, *in_cluster(parent, mode))


def recorded(request: Json, *, response: Any = None, path: str = "/sync", **fields: Any) -> Json:
    """Return *request* with the response of this version, as myresource record writes it."""
    body = json.dumps(request).encode()
    answer = MYRESOURCE.handle_sync(body, NOW).body if path == "/sync" else MYRESOURCE.handle_customize(body).body
    recorded_response = json.loads(answer) if response is None else response
    return {"path": path, "time": NOW_TEXT, "status": 200, "request": request, "response": recorded_response, **fields}


def customize_of(parent: Json) -> Json:
    found: Json = json.loads(customize_request(parent))
    return found


def lines(ended: CommandResult) -> list[str]:
    assert ended.err == ""
    return ended.out.splitlines()


# What is compared


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_recorded", [True, False], ids=["with its response", "without a response"])
def test_a_request_to_the_same_version_has_no_difference(mode: str, *, is_recorded: bool, write: Write) -> None:
    request = settled(mode)

    assert call("replay", write(recorded(request) if is_recorded else request)) == CommandResult(0, f"{SAME}\n", "")


def use_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this version one whose Pods get 60 seconds to end."""
    usual = sys.modules[TEMPLATE].pod_template

    def longer(*arguments: Any) -> Json:
        made = usual(*arguments)
        return {**made, "spec": {**made["spec"], "terminationGracePeriodSeconds": 60}}

    monkeypatch.setattr(f"{TEMPLATE}.pod_template", longer)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("is_recorded", [True, False], ids=["with its response", "without a response"])
def test_another_version_shows_what_restarts(
    mode: str, *, is_recorded: bool, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = settled(mode)
    file = write(recorded(request) if is_recorded else request)
    use_another_version(monkeypatch)

    line, summary = lines(call("replay", file))

    resync = "; resync changed" if is_recorded else ""
    assert line == f"{file}: default/web: {RESTARTS}{resync}; RESTART"
    assert summary == RESTARTED


RECORDED, REQUEST = recorded(settled()), settled()
STATUS = RECORDED["response"]["status"]
CONDITIONS = STATUS["conditions"]
OTHER_TIME = [{**each, "lastTransitionTime": "2020-01-01T00:00:00Z"} for each in CONDITIONS]
FOREIGN = [*CONDITIONS, {"type": "ForeignFields", "status": "True"}]  # a recording has no managed fields
EDITED = recorded({**settled(), "parent": my_resource(image="nginx:1.28", generation=2)})
STATED = recorded(settled(terminationGracePeriodSeconds=30))
POD = "response.children.0.spec.template.spec"


def changed(whole: Json, values: Json) -> Json:
    """Return *whole* with these *values* at their paths; None removes one."""
    made = json.loads(json.dumps(whole))
    for path, value in values.items():
        *above, last = path.split(".")
        place = made
        for key in above:
            place = place[int(key) if key.isdigit() else key]
        place[last] = value
        if value is None:
            del place[last]
    return made  # type: ignore[no-any-return]


DELETED = {"parent.metadata.deletionTimestamp": NOW_TEXT, "parent.spec.image": "nginx:1.28"}
DIFFERENCES: dict[str, tuple[Json, Json, str]] = {
    "transition times": (RECORDED, {"response.status.conditions": OTHER_TIME}, ""),
    "fields of others": (RECORDED, {"response.status.conditions": FOREIGN}, ""),
    "an edit of one that is being deleted": (REQUEST, DELETED, ""),
    "a state": (
        RECORDED,
        {"response.status.state": "Degraded"},
        "status Degraded Available -> Ready Available",
    ),
    "another field of the status": (
        RECORDED,
        {"response.status.replicas": 7, "response.resyncAfterSeconds": 5},
        "status changed (replicas); resync changed",
    ),
    "a status of another shape": (
        RECORDED,
        {"response.status.conditions": 5, "response.status.waiting": "x"},
        "status Ready -> Ready Available",
    ),
    # As if the new version refused what was accepted.
    "a lost Ready": (REQUEST, {"parent.spec.memory": "64mb"}, "status Ready Available -> Failed InvalidSpec"),
    "a bug": (RECORDED, {"status": 500, "response": {"error": "x"}}, "status code 500 -> 200"),
    "a refusal": (RECORDED, {"status": 400, "response": {"error": "x"}}, "status code 400 -> 200"),
    "Pods restart with both responses": (
        EDITED,
        {"response.status.state": "Other"},
        "status Other Building -> Building Building",
    ),
    "a default that is stated": (
        STATED,
        {f"{POD}.terminationGracePeriodSeconds": None},
        f"Deployment web-deployment changed ({PATH})",
    ),
    "a name that moves the cursor": (
        RECORDED,
        {"response.children.0.metadata.name": "\x1b[2J"},
        "Deployment ?[2J removed; Deployment web-deployment added",
    ),
}


@pytest.mark.parametrize(("whole", "values", "words"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_differs_without_a_restart_is_printed_in_words(
    whole: Json, values: Json, words: str, write: Write
) -> None:
    file = write(changed(whole, values))

    ended = call("replay", file)

    assert ended.code == bool(words)
    assert lines(ended)[:-1] == ([f"{file}: default/web: {words}"] if words else [])
    assert lines(ended)[-1].endswith("; no Pods restart")


def test_a_recording_is_decided_at_its_own_time(write: Write) -> None:
    waiting = {"what": "Deployment web-deployment", "since": NOW_TEXT}
    condition = {"type": "Ready", "status": "False", "lastTransitionTime": NOW_TEXT, "observedGeneration": 1}
    request = request_of(my_resource(status={"conditions": [condition], "waiting": waiting}))

    then = call("replay", write(recorded(request)))
    now = call("replay", write({key: value for key, value in recorded(request).items() if key != "time"}))

    assert then.code == 0
    assert "Building -> Failed NotApplied" in now.out


@pytest.mark.parametrize(("seconds", "code"), [(0, 0), (1, 0), (-1, 0), (2, 1), (-2, 1)])
def test_a_second_between_the_recorder_and_the_hook_is_no_difference(seconds: int, code: int, write: Write) -> None:
    answered = recorded(request_of(my_resource()))
    answered["response"]["resyncAfterSeconds"] += seconds

    assert call("replay", write(answered)).code == code


@pytest.mark.parametrize("image", ["nginx:1.27", "nginx:1.28"], ids=["alone", "while another one restarts"])
def test_a_deployment_that_is_no_longer_listed_ends_its_pods(image: str, write: Write) -> None:
    request = settled()
    request["parent"]["spec"]["image"] = image
    groups = request["children"]
    (deployment,) = groups["Deployment.apps/v1"].values()
    other = {**deployment, "metadata": {**deployment["metadata"], "name": "web-old"}}
    groups["Deployment.apps/v1"]["default/web-old"] = other

    line, summary = lines(call("replay", write(request)))

    assert "Deployment web-old removed; " in line
    assert line.endswith("; PODS END")
    assert summary.endswith("no Pods restart, Pods of 1 MyResource would end")


def test_a_deployment_without_replicas_has_no_pods_to_restart(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(settled(replicas=0))
    use_another_version(monkeypatch)

    assert lines(call("replay", file))[-1].endswith("; no Pods restart")


def test_a_kept_child_without_a_record_has_no_difference(write: Write) -> None:
    invalid = {**my_resource(spec={"image": "nginx:1.27", "memory": "64mb"})}
    there = in_cluster(my_resource(), "server-side-apply")
    answered = recorded(request_of(invalid, *there))
    for child in answered["request"]["children"]["Deployment.apps/v1"].values():
        del child["metadata"]["managedFields"]

    assert answered["response"]["children"][0]["spec"]
    assert call("replay", write(answered)).code == 0


def test_rules_of_customize_are_compared(write: Write) -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    same = recorded(customize_of(parent), path="/customize")
    other = recorded(customize_of(parent), path="/customize", response={"relatedResources": []})

    assert call("replay", write(same)).code == 0
    assert lines(call("replay", write(other)))[0].endswith("default/web: customize rules changed (relatedResources)")


def test_requests_that_are_not_compared_are_counted(write: Write) -> None:
    alone = write(customize_of(my_resource()), "customize.json")

    ended = call("replay", write(settled()), alone)

    assert ended.code == 0
    assert lines(ended)[0].startswith("2 requests: 1 the same, 0 differ, 1 not compared; ")
    assert_one_line(call("replay", alone), 2, "nothing to compare", "--against URL")


def test_of_a_folder_all_files_are_read_except_hidden_ones(write: Write, tmp_path: Path) -> None:
    write(recorded(settled()), "recordings/b.json")
    write(recorded(settled()), "recordings/more/a.json")
    write("half a fi", "recordings/.c.json")
    write("# nothing to see", "recordings/README.md")

    assert lines(call("replay", str(tmp_path / "recordings")))[0].startswith("2 requests: 2 the same")


def test_json_has_every_path(write: Write) -> None:
    answered = recorded(settled())
    answered["response"]["children"][0]["spec"]["replicas"] = 5
    file = write(answered)

    ended = call("replay", file, "-o", "json")

    child = {"change": "changed", "kind": "Deployment", "name": "web-deployment", "paths": ["spec.replicas"]}
    same: Json = {"statusCodes": [], "states": [], "status": [], "rules": [], "resync": False}
    differs = {"file": file, "hook": "sync", "myresource": "default/web", "children": [child], "pods": "keep", **same}
    counts = {"requests": 1, "same": 0, "differ": 1, "notCompared": 0, "restart": [], "end": []}
    assert ended.code == 1
    assert json.loads(ended.out) == {**counts, "differences": [differs]}


# Live objects


def live(*parents: Json, mode: str = "dynamic-apply") -> tuple[Json, Json]:
    """Return two lists, as kubectl prints them: the MyResources and their children."""
    children = [child for parent in parents for child in in_cluster(parent, mode)]
    ready = [{**parent, "status": {**sync(parent, *in_cluster(parent, mode))["status"]}} for parent in parents]
    as_list = {"apiVersion": "v1", "kind": "List"}
    return {**as_list, "items": ready}, {**as_list, "items": children}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dump", [json.dumps, yaml.safe_dump], ids=["JSON", "YAML"])
def test_live_objects_of_this_version_are_the_same(mode: str, dump: Any, write: Write) -> None:
    parents, children = live(
        my_resource("web", ports=[{"containerPort": 80}]), my_resource("shop", uid="another-uid"), mode=mode
    )

    ended = call("replay", write(dump(parents), "parents"), write(dump(children), "children"))

    assert ended == CommandResult(0, "2 requests: 2 the same, 0 differ; no Pods restart\n", "")


def test_a_kind_that_was_not_collected_is_unknown(write: Write) -> None:
    parents, children = live(using("settings"))

    assert call("replay", write(parents, "parents"), write(children, "children")).out == f"{SAME}\n"


def test_a_service_of_another_owner_is_not_a_child(write: Write) -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    metadata = {"name": "web", "namespace": "default"}
    foreign = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": "theirs"}}}
    (deployment, _) = in_cluster(parent)

    assert reason(sync(parent, deployment)) != "NameConflict"
    *_, line, summary = lines(call("replay", write(live(parent)[0]), write(deployment, "d"), write(foreign, "s")))
    assert line.endswith("status Ready Available -> Failed NameConflict")
    assert summary == "1 request: 0 the same, 1 differs; no Pods restart"


def test_from_cluster_only_prints_the_commands() -> None:
    assert call("replay", "--from-cluster") == CommandResult(0, f"{COLLECT_COMMANDS}\n", "")


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

    assert printed == f"{SAME}\n"
    assert (tmp_path / "others.json").stat().st_mode & 0o777 == 0o600
    assert all("--all-namespaces" in line for line in (tmp_path / "calls").read_text().splitlines())


# Another version at a URL


@pytest.mark.parametrize("end", ["", "/", "/sync", "/customize"])
def test_the_same_version_at_a_url_has_no_difference(end: str, operator: Served, write: Write) -> None:
    files = write(settled()), write(customize_of(my_resource()), "customize.json")

    ended = call("replay", "--against", operator.url + end, *files)

    assert ended == CommandResult(0, "2 requests: 2 the same, 0 differ; no Pods restart\n", "")


def test_another_version_at_a_url_is_the_new_one(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(recorded(settled()))
    body = json.dumps(settled()).encode()
    use_another_version(monkeypatch)
    answer = MYRESOURCE.handle_sync(body, NOW).body
    monkeypatch.undo()

    with serving(lambda _: Reply(200, answer)) as url:
        line, summary = lines(call("replay", "--against", url, file))

    assert (line, summary) == (f"{file}: default/web: {RESTARTS}; RESTART", RESTARTED)


def test_a_url_that_is_not_a_hook_is_one_line_and_code_2(operator: Served, write: Write) -> None:
    file = write(settled())

    ended = call("replay", "--against", operator.health_url, file)

    assert_one_line(ended, 2, "--against: /sync returns status 404", "URL of a hook")


# Signals


def test_ctrl_c_exits_with_130_and_no_message(write: Write) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        # In the background, shells ignore Ctrl-C: "env" lets it end the command.
        listens = ("env", "--default-signal=INT")
        command = [*listens, sys.executable, "-m", "app", "replay", "--against", url, write(settled())]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            connection, _ = silent.accept()
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=10)
            errors = process.stderr.read() if process.stderr else ""
            connection.close()

    assert (code, errors) == (130, "")
