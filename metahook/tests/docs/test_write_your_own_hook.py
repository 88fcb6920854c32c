"""The hook of docs/write-your-own-hook.md is served, and answers, as the page says."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from metahook.envtest.process import free_port
from toolkit.documents import blocks, consoles, page


def run(command: str, port: int) -> str:
    """Run *command* in a shell, with the hook's port in place of 8080."""
    ported = command.replace(":8080/", f":{port}/")
    return subprocess.run(ported, shell=True, capture_output=True, text=True, check=True).stdout  # noqa: S602 - a page's command


@pytest.fixture(name="greetings", scope="module")
def _greetings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Serve the controller of the page, as the page says, but on free ports."""
    code, *_ = blocks(page("write-your-own-hook"), "python")
    port, health_port = free_port(), free_port()
    file = tmp_path_factory.mktemp("hook") / "greetings.py"
    file.write_text(code.replace("8080", str(port)).replace("8081", str(health_port)))
    starter = f"import runpy, sys; sys.argv = ['greetings.py']; runpy.run_path({str(file)!r}, run_name='__main__')"
    with subprocess.Popen([sys.executable, "-c", starter]) as process:
        try:
            run(f"curl -s --retry 50 --retry-connrefused --retry-delay 0 http://127.0.0.1:{health_port}/readyz", port)
            yield port
        finally:
            process.send_signal(signal.SIGINT)  # it stops without a drain


def test_the_hook_of_the_page_answers_as_the_page_says(greetings: int) -> None:
    (block,) = consoles("write-your-own-hook")

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
