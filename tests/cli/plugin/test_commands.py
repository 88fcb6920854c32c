"""The commands as kubectl runs them, with a kubectl that prints what is recorded."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.plugin import complete, main
from app.core.desired.children import CHILDREN, OPTIONAL_CHILDREN, OptionalChild
from tests.cli.plugin.recorded import MYRESOURCE, calls, kubectl, path_with, print_instead, print_when_watched
from tests.cli.plugin.test_tree import DRAWN
from tests.core.desired.test_children import full
from tests.health.statuses import current

PLUGIN = Path(sys.executable).parent / "kubectl-myresource"


@pytest.fixture(name="program")
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = kubectl(tmp_path)
    monkeypatch.setenv("PATH", path_with(program))
    return program


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the plugin in this process, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["kubectl-myresource", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_kubectl_runs_the_plugin_by_its_name_on_path(program: Path) -> None:
    ended = subprocess.run([program, "myresource", "tree", "web"], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{DRAWN}\n", "")


@pytest.mark.parametrize("command", ["explain", "tree"])
def test_options_for_the_cluster_go_to_every_call_of_kubectl(
    program: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, command, "web", "-n", "shop", "--context", "kind", "--kubeconfig", "config") == 0

    assert calls(program)
    for call in calls(program):
        assert call.endswith(" --namespace=shop --context=kind --kubeconfig=config")
        assert call.startswith("get ")


@pytest.mark.parametrize("optional", OPTIONAL_CHILDREN, ids=lambda optional: optional.kind.KIND.kind)
def test_children_of_each_kind_are_read_and_those_that_few_have_only_for_these(
    program: Path, optional: OptionalChild, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = optional.kind.KIND
    group, _, _ = kind.api_version.rpartition("/")
    resource = f"{kind.plural}.{group}" if group else kind.plural
    assert run(monkeypatch, "tree", "web") == 0
    assert sum(resource in call for call in calls(program)) == optional.is_always_listed

    asked = {**MYRESOURCE, "spec": full(optional.kind)["spec"]}
    monkeypatch.setattr("app.cli.plugin.commands._parent", lambda *_: asked)

    assert run(monkeypatch, "tree", "web") == 0  # although kubectl fails to list them
    assert sum(resource in call for call in calls(program)) == 1 + optional.is_always_listed


def test_an_invalid_spec_may_have_children_of_every_kind(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.cli.plugin.commands._parent", lambda *_: {**MYRESOURCE, "spec": {"image": 5}})

    assert run(monkeypatch, "tree", "web") == 0
    assert all(sum(kind.KIND.plural in call for call in calls(program)) == 1 for kind in CHILDREN)


def test_restart_sets_the_current_time(
    program: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "restart", "web") == 0

    (call,) = calls(program)
    command, _, patch = call.partition(" --patch=")
    assert command == "patch myresources.mygroup.example.com web --type=merge"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", json.loads(patch)["spec"]["restartedAt"])
    assert capfd.readouterr().out == "myresource.mygroup.example.com/web patched\n"


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("command", ["explain", "tree"])
def test_an_error_of_kubectl_and_its_exit_code_are_kept(
    command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code = run(monkeypatch, command, "other")

    error = 'Error from server (NotFound): myresources.mygroup.example.com "other" not found\n'
    assert (code, *capfd.readouterr()) == (7, "", error)


WITHOUT_STATUS = {key: value for key, value in MYRESOURCE.items() if key != "status"}


def test_a_user_who_must_not_read_events_sees_no_error(
    program: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    print_instead(program, WITHOUT_STATUS)
    program.write_text(program.read_text().replace('"get events "*', '"no events"'))

    assert run(monkeypatch, "explain", "web") == 0
    assert capfd.readouterr().err == ""
    assert [call for call in calls(program) if call.startswith("get events ")]


@pytest.mark.parametrize(
    ("reasons", "code", "title"),
    [
        pytest.param(["Available", "InvalidSpec"], 0, "Ready is True", id="the first that is settled"),
        pytest.param(["RollingOut", "Available"], 0, "Ready is True", id="ready later"),
        pytest.param(["RollingOut", "Suspended"], 1, "Ready is Unknown", id="suspended"),
        pytest.param(["RollingOut", "InvalidSpec"], 1, "action is needed (Stalled)", id="stalled later"),
        pytest.param(["RollingOut"], 1, "no action is needed yet (Reconciling)", id="the timeout expires"),
    ],
)
def test_wait_ends_once_it_is_ready_or_stalled(
    program: Path,
    *,
    reasons: list[str],
    code: int,
    title: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    print_when_watched(program, WITHOUT_STATUS, *map(current, reasons))

    assert run(monkeypatch, "wait", "web", "--timeout", "30s") == code
    assert capfd.readouterr().out.splitlines()[0].endswith(title)
    assert "--request-timeout=30s" in calls(program)[-1]


@pytest.mark.parametrize("command", ["explain", "wait"])
def test_a_page_that_an_explanation_names_is_where_the_setting_says(
    program: Path, command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ready = {"type": "Ready", "status": "False", "reason": "LeftoverFields", "message": "See docs/reference/status.md."}
    given = {"type": "OperatorMisconfigured", "status": "True", "message": "See https://given.example.com/docs/a.md."}
    conditions = [{"reason": "OutdatedCRD", "lastTransitionTime": "now", **each} for each in (ready, given)]
    parent = {**MYRESOURCE, "status": {**MYRESOURCE["status"], "conditions": conditions}}
    print_instead(program, parent)

    run(monkeypatch, command, "web")
    assert "as docs/clusters/scale.md#change-the-apply-strategy describes" in capfd.readouterr().out
    monkeypatch.setenv("MYRESOURCE_DOCS_URL", "https://docs.example.com/docs/")
    run(monkeypatch, command, "web")
    by_variable = capfd.readouterr().out
    run(monkeypatch, command, "web", "--docs-url", "https://docs.example.com/docs")

    assert by_variable == capfd.readouterr().out
    assert "as https://docs.example.com/docs/clusters/scale.md#change-the-apply-strategy describes" in by_variable
    assert "See https://docs.example.com/docs/reference/status.md." in by_variable
    assert "See https://given.example.com/docs/a.md." in by_variable


def test_without_kubectl_there_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path)}
    ended = subprocess.run([PLUGIN, "tree", "web"], env=environment, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "kubectl myresource: kubectl is not on PATH; install it: https://kubernetes.io/docs/tasks/tools/\n"
    )


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["ex"], ["explain\tExplain a status and what to do."]),
        (["tree", ""], ["web"]),
        (["tree", "-n", "shop", "w"], ["web"]),
        (["tree", "x"], []),
        (["tree", "--con"], ["--context\tContext of the kubeconfig file."]),
        ([], [f"{name}\t" for name in ("explain", "restart", "tree", "wait")]),
    ],
    ids=str,
)
def test_kubectl_completes_commands_options_and_names(
    words: list[str], completed: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-myresource", *words])

    complete()

    *lines, directive = capfd.readouterr().out.splitlines()
    assert directive == ":4"
    assert len(lines) == len(completed)
    for line, start in zip(lines, completed, strict=True):
        assert line.startswith(start)


def test_without_a_cluster_no_name_is_completed_and_no_error_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-myresource", "tree", ""])

    complete()

    assert capfd.readouterr() == (":4\n", "")
