"""The commands of ``metahook``, for a CompositeController, a DecoratorController and cluster-scoped parents."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from metahook.cli.hooks.named_hook import read_controller
from metahook.envtest.process import free_port
from metahook.protocol.request_builder import example_request
from toolkit.cli.command import call
from toolkit.controllers import TENANT, composite, decorator, resource
from toolkit.served.asgi import JSON
from toolkit.slow import only_whole

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
GREETING = ROOT / "examples/greeting"
CAREFUL = ["-k", str(GREETING / "compositecontroller.yaml"), "-k", str(GREETING / "crd.yaml"), "--hook", "greetings.py"]


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory with a hook and a parent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    shutil.copy(GREETING / "greetings.py", tmp_path)
    for name, text in {"hi": "hi", "ho": "ho"}.items():
        Path(f"{name}.yaml").write_text(
            f"apiVersion: example.com/v1\nkind: Greeting\nmetadata: {{name: hello}}\nspec: {{text: {text}}}\n"
        )


def test_the_parent_is_rendered_with_its_status_and_then_its_children() -> None:
    as_yaml, as_json = (call("render", *CAREFUL, "-f", "hi.yaml", "-o", output) for output in ("yaml", "json"))
    parent, child = yaml.safe_load_all(as_yaml.out)

    assert (as_yaml.code, as_yaml.err) == (0, "")
    assert (parent["kind"], parent["metadata"]) == ("Greeting", {"name": "hello", "namespace": "default"})
    assert parent["status"] == {"state": "Building"}
    assert (child["kind"], child["data"]) == ("ConfigMap", {"text": "hi"})
    assert json.loads(as_json.out)["items"] == [parent, child]


def test_a_folder_is_read_without_what_is_hidden_in_it_and_without_kustomization() -> None:
    for name in ("compositecontroller.yaml", "crd.yaml"):
        Path("hooks").mkdir(exist_ok=True)
        shutil.copy(GREETING / name, "hooks")
    Path("hooks/.github").mkdir()
    Path("hooks/.github/ci.yml").write_text("on: push\n")
    Path("hooks/kustomization.yaml").write_text("resources: [crd.yaml]\n")

    assert call("render", "-k", "hooks", "--hook", "greetings.py", "-f", "hi.yaml").code == 0


def test_what_an_api_server_refuses_is_a_finding_of_render() -> None:
    source = Path("greetings.py").read_text()
    Path("greetings.py").write_text(source.replace('"data": {"text": ', '"data": {"text": 5 or '))

    ended = call("render", *CAREFUL, "-f", "hi.yaml")

    assert ended.code == 1
    assert ended.err == "metahook: Greeting hello: can't apply ConfigMap hello: data.text: must be a string\n"


def written(name: str, *objects: Json) -> str:
    Path(name).write_text("---\n".join(map(yaml.safe_dump, objects)))
    return name


STATEFUL = {
    "serviceName": "db",
    "selector": {"matchLabels": {"app": "db"}},
    "template": {
        "metadata": {"labels": {"app": "db"}},
        "spec": {"containers": [{"name": "main", "image": "postgres"}]},
    },
}
NAMESPACES = resource("v1", "namespaces")
CONFIG_MAPS = resource("v1", "configmaps")
SERVICES = resource("v1", "services")


@pytest.mark.parametrize(
    ("controller", "hook", "parent", "status", "children"),
    [
        pytest.param(
            composite("tenants", NAMESPACES, CONFIG_MAPS),
            "toolkit.hooks.tenant:TENANTS",
            {
                "apiVersion": "example.com/v1",
                "kind": "Tenant",
                "metadata": {"name": "a"},
                "spec": {"namespaces": ["b"]},
            },
            {"namespaces": 0},
            {("Namespace", None, "b"), ("ConfigMap", "b", "settings")},
            id="cluster-scoped parent",
        ),
        pytest.param(
            decorator("services", [resource("apps/v1", "statefulsets", None)], SERVICES),
            "toolkit.hooks.service_per_object:SERVICES",
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": STATEFUL},
            {},
            {("Service", None, "db")},
            id="decorator",
        ),
    ],
)
def test_other_controllers_are_rendered_and_simulated(
    controller: Json, hook: str, parent: Json, status: Json, children: set[tuple[str, str | None, str]]
) -> None:
    options = ["-k", written("k.yaml", controller, TENANT), "-f", written("f.yaml", parent), "--hook", hook]

    rendered, simulated = call("render", *options, "-o", "json"), call("simulate", *options, "--until", "30s")
    first, *others = json.loads(rendered.out)["items"]

    assert (rendered.code, rendered.err) == (0, "")
    assert (first["kind"], first["status"]) == (parent["kind"], status)
    assert {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in others} == children
    assert simulated.code == 0, simulated.out
    assert f"creates {next(iter(children))[0]} " in simulated.out


def test_a_simulation_shows_each_write_and_ends_quiet() -> None:
    ended = call("simulate", *CAREFUL, "-f", "hi.yaml", "--all", "--set", "text=ho", "--at", "20s")
    lines = [line.strip() for line in ended.out.splitlines()]

    assert (ended.code, ended.err) == (0, "")
    assert re.sub(" +", " ", lines[5]) == "12:00:20.00, day 1 metacontroller updates ConfigMap hello: data.text=ho"
    assert lines[-1] == "Quiet since 12:00:20, day 1: 7 hook calls, 6 writes by Metacontroller."


def test_a_simulation_shows_the_phase_of_a_parent_that_has_no_state() -> None:
    for source in (GREETING / "greetings.py", GREETING / "crd.yaml"):
        Path(source.name).write_text(re.sub(r'\bstate(?="?: )', "phase", source.read_text()))

    ended = call("simulate", *CAREFUL[:3], "crd.yaml", *CAREFUL[4:], "-f", "hi.yaml")

    assert "Greeting hello is Ready\n" in ended.out


def test_faults_change_the_simulation_and_not_its_end() -> None:
    usual, faulty = (
        [json.loads(line) for line in call("simulate", *CAREFUL, "-f", "hi.yaml", "-o", "json", *more).out.splitlines()]
        for more in ([], ["--stale", "ConfigMap", "--lose", "30%"])
    )
    lost = [line for line in faulty if line.get("event") == "SyncError"]

    assert [line["message"] for line in lost] == ["the response of the hook was lost"]
    assert not [line for line in usual if line.get("event")]
    assert faulty[-1]["summary"]["at"] > usual[-1]["summary"]["at"] + 4
    assert faulty[-1]["summary"]["findings"] == []


def test_a_harmful_hook_is_a_finding_with_code_1() -> None:
    Path("careless.py").write_text(
        "from metahook import ConfigMap, Controller, SyncResponse\n"
        "calls = []\n"
        "def sync(request, now):\n"
        "    calls.append(now)\n"
        "    child = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'a'},\n"
        "             'data': {'calls': str(len(calls))}}\n"
        "    return SyncResponse(status={'state': 'Ready'}, children=[child])\n"
        "HOOK = Controller(sync, (ConfigMap,))\n"
    )

    ended = call("simulate", *CAREFUL[:-1], "careless.py", "-f", "hi.yaml", "--until", "1s")

    assert ended.code == 1
    assert "RepeatedWrites: ConfigMap a: " in ended.out


def test_an_edit_is_shown_as_what_changes_in_the_cluster() -> None:
    changed, same = (call("diff", "hi.yaml", new, *CAREFUL) for new in ("ho.yaml", "hi.yaml"))
    as_json = json.loads(call("diff", "hi.yaml", "ho.yaml", *CAREFUL, "-o", "json").out)

    assert (changed.code, same.code) == (1, 0)
    assert "-  text: hi\n+  text: ho\n" in changed.out
    assert changed.out.endswith("Pods keep running.\n")
    assert same.out == "Nothing changes.\n"
    change = {"change": "changed", "kind": "ConfigMap", "name": "hello", "paths": ["data.text"]}
    assert as_json == {"children": [change], "restart": []}


def test_an_edit_of_a_pod_template_restarts_pods() -> None:
    notebook = ROOT / "examples/notebook"
    crd = yaml.safe_load((notebook / "crd.yaml").read_text())["spec"]
    group, kind = f"{crd['group']}/{crd['versions'][0]['name']}", crd["names"]["kind"]
    files = [
        written(
            f"{image}.yaml", {"apiVersion": group, "kind": kind, "metadata": {"name": "mine"}, "spec": {"image": image}}
        )
        for image in ("one", "two")
    ]

    ended = call(
        "diff", *files, "-k", f"{notebook}/compositecontroller.yaml", "-k", f"{notebook}/crd.yaml",
        "--hook", f"{notebook}/notebooks.py",
    )  # fmt: skip

    assert ended.code == 1, ended.err
    assert "Pods restart: spec.template.spec.containers[" in ended.out


@pytest.mark.parametrize("field", ["state", "phase"])
def test_a_hook_is_replayed_against_its_recorded_responses(field: str) -> None:
    in_field = Path("greetings.py").read_text().replace('"state": ', f'"{field}": ')
    Path("greetings.py").write_text(in_field)
    parent = {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "a"}, "spec": {"text": "hi"}}
    hook = read_controller("greetings.py")
    request = example_request(parent, hook.children, [], {})
    response = hook.handle_sync(request, datetime(2026, 1, 31, tzinfo=UTC)).body
    recording = {"path": "/greet", "time": "2026-01-31T00:00:00+00:00", "status": 200}
    Path("rec").mkdir()
    Path("rec/1.json").write_text(
        json.dumps({**recording, "request": json.loads(request), "response": json.loads(response)})
    )
    Path("new.py").write_text(Path("greetings.py").read_text().replace('"Building"', '"Working"'))

    same, other = (call("replay", "rec", "--hook", name) for name in ("greetings.py", "new.py"))

    assert (same.code, same.out) == (0, "1 request: 1 the same, 0 differ; no Pods restart\n")
    assert (other.code, other.err) == (1, "")
    assert other.out.startswith("rec/1.json: default/a: status Building -> Working\n")


def test_a_request_is_replayed_although_the_status_of_its_parent_is_no_object() -> None:
    metadata = {"name": "a", "namespace": "default", "uid": "1", "generation": 1}
    parent = {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": metadata, "spec": {"text": "hi"}}
    request = example_request(parent, read_controller("greetings.py").children, [], {})
    Path("1.json").write_text(json.dumps({**json.loads(request), "parent": {**parent, "status": "Ready"}}))

    ended = call("replay", "1.json", "--hook", "greetings.py")

    assert (ended.err, ended.code) == ("", 1)  # the child does not exist yet


def test_the_start_imports_nothing_that_a_command_needs() -> None:
    code = "import sys; from metahook.cli.program import main\ntry: main(['--help'])\nfinally: print(*sys.modules)"

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {module.partition(".")[0] for module in ended.stdout.splitlines()[-1].split()}

    assert "click" in modules
    assert not modules & {"fastapi", "httpx", "hypothesis", "rich", "starlette", "uvicorn", "yaml"}
    assert "metahook.simulator" not in ended.stdout


@pytest.mark.parametrize("command", ["check", "diff", "render", "replay", "simulate"])
def test_a_command_imports_no_server_and_no_client_before_it_calls_one(command: str) -> None:
    code = f"import sys, metahook.cli.commands.{command}; print(*sys.modules)"

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {module.partition(".")[0] for module in ended.stdout.split()}

    assert "click" in modules
    assert not modules & {"asyncio", "fastapi", "httpx", "hypothesis", "rich", "starlette", "uvicorn"}


def greet(port: int) -> str:
    """Return the state that the hook at *port* responds with, or nothing while it starts."""
    body = example_request(
        yaml.safe_load(Path("hi.yaml").read_text()), read_controller("greetings.py").children, [], {}
    )
    try:
        answer = httpx.post(f"http://127.0.0.1:{port}/sync", content=body, headers=JSON)
    except httpx.TransportError:
        return ""
    return str(answer.json()["status"]["state"])


@pytest.mark.slow
@only_whole
def test_a_served_hook_starts_again_when_its_file_changes() -> None:
    port = free_port()
    command = [sys.executable, "-m", "metahook.cli", "dev", "served.py", "--port", str(port)]
    source = Path("greetings.py").read_text()
    Path("served.py").write_text(source)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        states = [wait_for(lambda: greet(port))]
        Path("served.py").write_text("x = = 1")
        time.sleep(4)  # until it was tried
        Path("served.py").write_text(source.replace('"Building"', '"Working"'))
        states.append(wait_for(lambda: {"Building": ""}.get(greet(port), greet(port))))
    finally:
        process.terminate()
        _, err = process.communicate(timeout=20)

    assert states == ["Building", "Working"]
    assert "metahook: HOOK served.py:1: SyntaxError: " in err


def wait_for(ask: Callable[[], str]) -> str:
    """Return what *ask* returns, once it returns something."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if found := ask():
            return found
        time.sleep(0.1)
    return ""
