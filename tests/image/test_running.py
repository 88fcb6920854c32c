"""The image runs as a Pod with a restricted security context would run it."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from app import __version__
from tests.chart.sets import objects
from tests.documents import ROOT
from tests.image.build import bases
from tests.image.container import Image, ended, mounted, myresource, serving

pytestmark = pytest.mark.tools

HOOK = "http://127.0.0.1:8080"
HEALTH = "http://127.0.0.1:8081"
WEB = json.dumps(
    {
        "apiVersion": "mygroup.example.com/v1alpha1",
        "kind": "MyResource",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"image": "nginx:1.27"},
    }
)
JSON = {"Content-Type": "application/json"}


def test_it_answers_a_recorded_request_and_its_probes(image: Image, tmp_path: Path) -> None:
    body = (ROOT / "examples/requests/ready.json").read_bytes()

    with serving(image, tmp_path) as container, container.network() as client:
        answer = client.post(f"{HOOK}/sync", content=body, headers=JSON)
        probes = [client.get(f"{HEALTH}/{path}").status_code for path in ("livez", "readyz", "metrics")]

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()
    assert probes == [200, 200, 200]


def test_process_1_is_the_hook_of_user_65532_without_capabilities(image: Image, tmp_path: Path) -> None:
    with serving(image, tmp_path) as container:
        status = Path(f"/proc/{container.pid}/status").read_text()
        command = Path(f"/proc/{container.pid}/cmdline").read_text()
    fields = dict(re.findall(r"^(\w+):\t(.*)$", status, re.MULTILINE))

    assert fields["Uid"].split() == fields["Gid"].split() == ["65532"] * 4
    assert fields["NSpid"].split()[-1] == "1"
    assert (fields["CapEff"], fields["CapBnd"], fields["NoNewPrivs"]) == ("0" * 16, "0" * 16, "1")
    assert command.split("\0")[1:-1] == ["-IB", "-m", "app", "serve"]


def test_on_sigterm_it_serves_until_it_has_drained_and_exits_with_0(image: Image, tmp_path: Path) -> None:
    body = (ROOT / "examples/requests/ready.json").read_bytes()

    with serving(image, tmp_path) as container:
        with container.network() as client:
            container.send("TERM")
            answer = client.post(f"{HOOK}/sync", content=body, headers=JSON)
        code = container.process.wait(timeout=60)

    assert answer.status_code == 200
    assert code == 0


def test_helm_test_runs_in_the_image(image: Image, tmp_path: Path) -> None:
    (pod,) = [item for item in objects() if item["kind"] == "Pod"]
    (tester,) = pod["spec"]["containers"]

    with serving(image, tmp_path) as container:
        command = [*tester["command"], tester["args"][0]]
        good = ended(image, tmp_path, *command, HOOK, beside=container)
        bad = ended(image, tmp_path, *command, HEALTH, beside=container)

    assert (good.returncode, bad.returncode) == (0, 1), good.stderr


def test_the_development_page_says_how_to_get_swagger_ui_which_the_image_lacks(image: Image, tmp_path: Path) -> None:
    with serving(image, tmp_path, "serve", "--dev") as container, container.network() as client:
        page = client.get(f"{HOOK}/docs").text

    assert "pip install fastapi-swagger" in page
    assert "swagger-ui-bundle.js" not in page


def test_sigkill_is_another_exit_code(image: Image, tmp_path: Path) -> None:
    with serving(image, tmp_path) as container:
        container.send("KILL")

        assert container.process.wait(timeout=60) == 137


@pytest.mark.parametrize("path", ["/srv/x", "/tmp/x", "/venv/x"])  # noqa: S108 - no file is written there
def test_nothing_can_be_written(image: Image, tmp_path: Path, path: str) -> None:
    ended_ = ended(image, tmp_path, "/venv/bin/python", "-I", "-c", f"open({path!r}, 'w')")

    assert "Read-only file system" in ended_.stderr


def test_a_shell_can_not_be_started(image: Image, tmp_path: Path) -> None:
    attempt = "import subprocess; subprocess.run('true', shell=True)"

    assert "No such file or directory: '/bin/sh'" in ended(image, tmp_path, "/venv/bin/python", "-Ic", attempt).stderr


def test_a_shell_would_be_noticed(image: Image, tmp_path: Path) -> None:
    with mounted(bases()["BUILD_BASE"]) as base:
        tools = Image(base.root, {"config": {**image.config["config"], "WorkingDir": "/"}})
        attempt = "import subprocess; subprocess.run('true', shell=True, check=True)"

        assert ended(tools, tmp_path, "/usr/bin/env", "python3", "-Ic", attempt).returncode == 0


def test_the_commands_that_need_no_extra_work_in_the_image(image: Image, tmp_path: Path) -> None:
    recording = (ROOT / "examples/recordings/cluster/services.json").read_text()

    def works(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return myresource(image, tmp_path, *arguments, given=given)

    assert works("--version").stdout.split()[-1] == __version__
    assert works("explain", "NotApplied").stdout.startswith("NotApplied: Ready is False")
    assert json.loads(works("render", "-f", "-", "-o", "json", given=WEB).stdout)["kind"] == "List"
    assert "no hook request and no MyResource in -" in works("replay", "-", given=recording).stderr
    for name in ("crd", "diff", "explain", "render", "replay", "serve", "simulate"):
        assert works(name, "--help").stdout.startswith(f"Usage: myresource {name}")


def test_its_python_answers_recorded_traffic_as_the_python_of_the_tests_does(image: Image, tmp_path: Path) -> None:
    same = myresource(image, tmp_path, "replay", "--no-watch-pods", "/files")
    other = myresource(image, tmp_path, "replay", "/files")

    assert (same.returncode, same.stderr) == (0, "")
    assert re.fullmatch(r"(\d+) requests: \1 the same, 0 differ; no Pods restart\n", same.stdout)
    assert other.returncode == 1


@pytest.mark.parametrize(("name", "package"), [("crd", "yaml"), ("render", "yaml"), ("simulate", "rich")])
def test_a_command_that_needs_an_extra_says_so(image: Image, tmp_path: Path, name: str, package: str) -> None:
    options = [] if name == "crd" else ["-f", "-"]
    called = myresource(image, tmp_path, name, *options, given=WEB)

    assert called.returncode == 2
    assert f"{name} needs {package}; install it with: pip install ./metahook '.[cli]'" in called.stderr
