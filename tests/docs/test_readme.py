"""The documents: their commands are run, their code is run, their tables are compared."""

import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from metahook.envtest.free_port import free_port
from tests.cli.command import call
from tests.docs.documents import consoles

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
STEPS = (ROOT / "docs/contributing/architecture.md").read_text()
HOOK_PAGE = (ROOT / "metahook/docs/write-your-own-hook.md").read_text()


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of *language* in *page*."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def run(command: str, port: int) -> str:
    """Run *command* in a shell at the root of the project, with the hook's port in place of 8080."""
    ported = command.replace(":8080/", f":{port}/")
    return subprocess.run(ported, shell=True, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S602 - a document's command


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/start/try-it.md", "docs/start/first-myresource.md"])
def test_a_page_names_targets_that_the_makefile_has(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^    make ([a-z-]+)", (ROOT / page).read_text(), re.MULTILINE))

    assert named
    assert named <= targets


@pytest.mark.parametrize("line", re.findall(r"`\.venv/bin/myresource (.*)`", README))
def test_the_commands_of_the_readme_run(line: str) -> None:
    ended = call(*line.split())

    assert (ended.code, ended.err) == (0, "")
    assert ended.out


def test_the_myresource_of_the_readme_equals_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = blocks(README, "yaml")
    monkeypatch.setattr("sys.stdin", io.StringIO(block))

    rendered = [call("render", "-f", file, "--now", "2026-01-31T12:00:00Z") for file in ("-", "examples/web.yaml")]

    assert rendered[0] == rendered[1]
    assert rendered[0].code == 0


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:app|metahook|examples|metacontroller|docs)/[\w./-]+)`", README + STEPS)))
)
def test_the_files_that_the_readme_and_the_steps_of_a_request_name_exist(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.fixture(name="greetings", scope="module")
def _greetings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve the controller of the page, as the page says, but on free ports."""
    code, *_ = blocks(HOOK_PAGE, "python")
    port, health_port = free_port(), free_port()
    file = tmp_path_factory.mktemp("hook") / "greetings.py"
    file.write_text(code.replace("8080", str(port)).replace("8081", str(health_port)))
    starter = f"import runpy, sys; sys.argv = ['greetings.py']; runpy.run_path({str(file)!r}, run_name='__main__')"
    with subprocess.Popen([sys.executable, "-c", starter], cwd=ROOT) as process:
        try:
            run(f"curl -s --retry 50 --retry-connrefused --retry-delay 0 http://127.0.0.1:{health_port}/readyz", port)
            yield port
        finally:
            process.send_signal(signal.SIGINT)  # it stops without a drain


def test_the_hook_of_the_page_answers_as_the_page_says(greetings: int) -> None:
    (block,) = consoles("metahook/docs/write-your-own-hook.md")

    assert run(block.command, greetings) == block.output.removesuffix("\n")


@pytest.mark.parametrize(
    ("spec", "observed", "state", "data"),
    [
        pytest.param({"text": "hello"}, {"text": "hello"}, "Ready", {"text": "hello"}, id="ready"),
        pytest.param({"text": "new"}, {"text": "hello"}, "Building", {"text": "new"}, id="changed"),
        pytest.param({"text": 5}, {"text": "hello"}, "Failed", None, id="invalid, kept with no record"),
    ],
)
def test_the_hook_of_the_page_tells_ready_from_building_and_keeps_what_it_cannot_read(
    greetings: int, spec: dict[str, object], observed: dict[str, str], state: str, data: dict[str, str] | None
) -> None:
    metadata = {"name": "hi", "namespace": "default"}
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": observed}
    body = {
        "parent": {"metadata": {**metadata, "uid": "1", "generation": 1}, "spec": spec},
        "children": {"ConfigMap.v1": {"default/hi": config_map}},
    }
    command = "curl -s -H 'Content-Type: application/json' http://127.0.0.1:8080/sync -d '" + json.dumps(body) + "'"

    answer = json.loads(run(command, greetings))

    assert answer["status"]["state"] == state
    assert [item.get("data") for item in answer["children"]] == [data]
