"""README.md: a test types its commands in their order, and compares what it shows with what the operator makes."""

import io
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import yaml

from metahook.envtest.process import free_port
from tests.cli.command import call
from tests.docs.commands import commands
from tests.docs.documents import ROOT
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.documents import blocks
from toolkit.slow import only_whole

README = ROOT / "README.md"
DEMO, SERVE, TEST, CURL, *IN_A_CLUSTER = (line.partition("  #")[0].strip() for line in commands("README.md"))


@pytest.fixture(name="clone", params=["as it is", pytest.param("clean", marks=[pytest.mark.slow, only_whole])])
def _clone(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give the folder in which the reader types: this one, which is installed, or a new clone, which is not."""
    if request.param == "as it is":
        return ROOT
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "clone"], check=True)  # noqa: S607 - where it is, is the user's
    return tmp_path / "clone"


@contextmanager
def typed(command: str, folder: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Run *command* in a shell in *folder*, and press Ctrl-C when the block ends."""
    flags = "--assume-old=.venv/cli" if folder == ROOT else ""
    environment = {**os.environ, **variables, "MAKEFLAGS": flags, "MAKELEVEL": "0"}  # not those of make test
    with subprocess.Popen(  # noqa: S602 - a document's command
        command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)


def test_the_commands_do_what_the_page_says(clone: Path) -> None:
    port, body = free_port(), (ROOT / "examples/curl/ready.json").read_bytes()
    ports = {"MYRESOURCE_PORT": str(port), "MYRESOURCE_HEALTH_PORT": str(free_port()), "MYRESOURCE_DRAIN": "0"}

    with typed(DEMO, clone) as demo:
        assert demo.communicate()[0].endswith(call("simulate", "--scenario", "demo").out)
    curl = CURL.replace("8080", str(port)).replace("curl ", "curl --retry 60 --retry-delay 1 --retry-connrefused ")
    with typed(SERVE, clone, **ports), typed(curl, clone) as sent:
        printed = sent.communicate()[0]

    response = json.loads(MYRESOURCE.handle_sync(body, NOW).body)
    assert printed == f"{json.dumps(response, indent=4)}\n"
    assert [child["kind"] for child in response["children"]] == ["Deployment"]
    assert response["status"]["state"] == "Ready"


def test_ci_runs_the_tests_that_the_page_names() -> None:
    assert TEST == "make test"
    assert f"\n{TEST}\n" in (ROOT / ".ci/run").read_text()
    assert IN_A_CLUSTER == ["make kind", "kubectl get myresource web"]


def test_the_myresource_equals_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = blocks(README.read_text(), "yaml")
    monkeypatch.setattr("sys.stdin", io.StringIO(shown))

    first, second = (call("render", "-f", file, "--now", "2026-01-31T12:00:00Z") for file in ("-", "examples/web.yaml"))

    assert first == second
    assert first.code == 0


def test_the_picture_shows_what_the_myresource_in_it_becomes(tmp_path: Path) -> None:
    texts = re.findall(r'<text class="(\w+)"[^>]*>(.*?)</text>', (ROOT / "docs/images/overview.svg").read_text())
    parent = yaml.safe_load("\n".join(text for kind, text in texts if kind == "code"))
    (tmp_path / "web.yaml").write_text(yaml.safe_dump({"apiVersion": "mygroup.example.com/v1alpha1", **parent}))

    rendered = {item["kind"]: item for item in yaml.safe_load_all(call("render", "-f", str(tmp_path / "web.yaml")).out)}
    told = call("simulate", "-f", str(tmp_path / "web.yaml")).out

    deployment, service = rendered["Deployment"]["spec"], rendered["Service"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    assert [text for kind, text in texts if kind != "code"] == [
        "Deployment",
        f"replicas: {deployment['replicas']}",
        f"image: {container['image']}",
        f"memory: {container['resources']['limits']['memory']}",
        f"seccomp: {pod['securityContext']['seccompProfile']['type']}",
        "Service",
        f"{service['metadata']['name']}:{service['spec']['ports'][0]['port']}",
        "status",
        "Ready: True",
        *re.findall(r"Ready \(Available\): (.* and) (.*)\n", told)[-1],
        "operator",
    ]
