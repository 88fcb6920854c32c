"""``diff``: what an edit changes in the cluster, from a file or from a recorded request, and whether Pods restart."""

import io
import json
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import yaml

from metahook.commands import bound_program
from metahook.protocol.objects import Json
from toolkit.builders import NOW_TEXT
from toolkit.cli.bound import MODES, binding, call, in_cluster, request_of
from toolkit.command import CommandResult
from toolkit.widgets import widget

CONTAINER = "spec.template.spec.containers[0]"
SAME, KEPT, RESTART = "Nothing changes.", "Pods keep running.", f"Pods restart: {CONTAINER}.image"
CREATED = "No Pods are running: the Deployment would be created."
NONE = "No Pods are running: the Deployment has 0 replicas."


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def diff(old: Json, *new: Json, options: tuple[str, ...] = ()) -> CommandResult:
    """Return how the command ends, from *old*, a Widget or a request, to the objects that are *new*."""
    Path("old.json").write_text(json.dumps(old))
    Path("new.yaml").write_text("---\n".join(map(yaml.safe_dump, new)))
    return call("diff", "old.json", "new.yaml", *options)


def last_line(ended: CommandResult) -> str:
    return ended.out.splitlines()[-1]


WEB, EDITED, SERVED = widget(), widget(image="nginx:1.28"), widget(ports=[{"containerPort": 80}])
(DEPLOYMENT,) = in_cluster(WEB)
(OWNER,) = DEPLOYMENT["metadata"]["ownerReferences"]
OTHER = {**OWNER, "uid": "another"}


def observed(**metadata: Any) -> Json:
    """Return a request in which the Deployment has this *metadata*."""
    return request_of(WEB, {**DEPLOYMENT, "metadata": {**DEPLOYMENT["metadata"], **metadata}})


def empty(**spec: Any) -> Json:
    return widget(replicas=0, **spec)


MISSING: dict[str, dict[str, Json]] = {"ConfigMap.v1": {}}
ENDS: dict[str, tuple[Json, Json, str]] = {
    "scaling": (WEB, widget(replicas=5), KEPT),
    "another image": (WEB, EDITED, RESTART),
    "no Deployment": (request_of(WEB), EDITED, CREATED),
    "one that is being deleted": (observed(deletionTimestamp=NOW_TEXT), EDITED, CREATED),
    "no replicas": (empty(), empty(image="nginx:1.28"), NONE),
    "none, as observed": (request_of(empty(), *in_cluster(empty())), empty(image="nginx:1.28"), NONE),
    "kept by an invalid spec": (request_of(widget(image=""), DEPLOYMENT), EDITED, RESTART),
    "what it waits for is missing": (
        request_of(widget(config=True), related=MISSING),
        widget(config=True, replicas=2),
        "No Pods are running. ConfigNotFound: create the ConfigMap",
    ),
    "what it waits for, as if it had started": (widget(config=True), widget(config=True, image="nginx:1.28"), RESTART),
    # As in the hook: the first controller decides. No API server would store two, but a file may have them.
    "the first of two controllers": (observed(ownerReferences=[OWNER, OTHER]), EDITED, RESTART),
    "the second of two controllers": (observed(ownerReferences=[OTHER, OWNER]), EDITED, CREATED),
}


@pytest.mark.parametrize(("old", "new", "sentence"), ENDS.values(), ids=ENDS)
def test_what_happens_to_the_pods_is_the_last_line(old: Json, new: Json, sentence: str) -> None:
    ended = diff(old, new)

    is_different = not sentence.startswith("No Pods are running. ")
    assert (ended.code, ended.err) == (int(is_different), "")
    assert last_line(ended) == sentence
    assert (ended.out.count("\n") > 1) is is_different


SERVICE = "--- Service web (old)\n+++ Service web (new)\n@@ "


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (WEB, widget(replicas=5), "\n-  replicas: 1\n+  replicas: 5\n"),
        (WEB, SERVED, f"{SERVICE}-0,0 +1,"),
        (SERVED, WEB, f"{SERVICE}-1,"),
        (request_of(SERVED, *in_cluster(SERVED)), WEB, f"{SERVICE}-1,"),
    ],
    ids=["changed", "added", "removed", "removed, as observed"],
)
def test_what_changes_is_shown_without_hidden_annotations(old: Json, new: Json, shown: str) -> None:
    ended = diff(old, new)

    assert shown in ended.out
    assert ("kind: Service\n" in ended.out) is ("Service" in shown)
    assert "example.com/generation" not in ended.out


@pytest.mark.parametrize("mode", MODES)
def test_without_an_edit_a_recorded_request_has_no_differences(mode: str) -> None:
    request = request_of(SERVED, *in_cluster(SERVED, mode))

    for old in (request, {"path": "/sync", "request": request}, {"path": "/sync", "headers": {}, "body": request}):
        assert diff(old, SERVED) == CommandResult(0, f"{SAME}\n", "")


@pytest.mark.parametrize("mode", MODES)
def test_fields_added_by_others_stay_and_fields_that_the_edit_removes_go(mode: str) -> None:
    parent = widget(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}])
    (deployment,) = in_cluster(parent, mode)
    deployment["spec"]["template"]["spec"]["containers"].append({"name": "sidecar", "image": "mesh:1"})

    ended = diff(request_of(parent, deployment), widget(env=parent["spec"]["env"][1:]))

    changed = [line for line in ended.out.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert [line.split() for line in changed] == [["-", "-", "name:", "A"], ["-", "value:", "'1'"]]
    assert last_line(ended).startswith(f"Pods restart: {CONTAINER}.env")


def test_a_new_order_of_variables_restarts_pods_only_under_server_side_apply() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    parent, edited = widget(env=env), widget(env=env[::-1])

    ends = [last_line(diff(request_of(parent, *in_cluster(parent, mode)), edited)) for mode in MODES[:2]]

    assert ends[0] == SAME
    assert ends[1].startswith(f"Pods restart: {CONTAINER}.env[0].name")
    assert [last_line(diff(parent, edited, options=("--apply-strategy", mode))) for mode in MODES[:2]] == ends


# Related objects beside the edited parent


def config_map(name: str = "web", *, namespace: str | None = "default", **data: str) -> Json:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def running(*config_maps: Json, key: str = "default/{}") -> Json:
    """Return a recorded request with the children of a Widget and the *config_maps*, whose keys are as in *key*."""
    group = {key.format(item["metadata"]["name"]): item for item in config_maps}
    related = {"ConfigMap.v1": group} if config_maps else {}
    return request_of(WEB, *in_cluster(WEB, related=related), related=related)


ONE, TWO = config_map(A="1"), config_map(A="2")
ROLLS = "Pods restart: spec.template.metadata.annotations[example.com/config]"
BESIDE: dict[str, tuple[Json, Json, str]] = {
    "changed": (running(ONE), TWO, ROLLS),
    "changed, without a namespace": (running(ONE), config_map(A="2", namespace=None), ROLLS),
    "changed, recorded without a namespace": (running(ONE, key="{}"), TWO, ROLLS),
    "changed, without any namespace": (running(ONE, key="{}"), config_map(A="2", namespace=None), ROLLS),
    "the same": (running(ONE), ONE, SAME),
    "not selected": (running(ONE), config_map("unused", A="2"), SAME),
    "of another namespace": (running(ONE), config_map(A="2", namespace="shop"), SAME),
    "of another kind": (running(ONE), {**TWO, "kind": "Other"}, SAME),
    "not recorded": (running(), ONE, ROLLS),
}


@pytest.mark.parametrize(("old", "beside", "sentence"), BESIDE.values(), ids=BESIDE)
def test_an_object_beside_the_edit_restarts_pods_if_it_is_selected_and_changes(
    old: Json, beside: Json, sentence: str
) -> None:
    ended = diff(old, WEB, beside)

    assert last_line(ended) == sentence
    assert (ended.code, ended.err) == (int(sentence != SAME), "")


def test_objects_that_are_not_beside_the_edit_stay_as_they_were_recorded() -> None:
    assert last_line(diff(running(ONE), WEB)) == SAME
    assert last_line(diff(request_of(widget(config=True)), widget(config=True))) == CREATED  # unknown is not missing


@pytest.mark.parametrize("stream", [io.StringIO, type("Terminal", (io.StringIO,), {"isatty": lambda _: True})])
def test_only_a_terminal_gets_colours(stream: Callable[[], io.StringIO], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    plain = diff(EDITED, WEB).out

    with redirect_stdout(stream()) as out, pytest.raises(SystemExit):
        bound_program("widgets", binding, version="1.0").main(["diff", "old.json", "new.yaml"])

    assert ("\x1b[31m-        image: nginx:1.28" in out.getvalue()) is out.isatty()
    assert out.getvalue().count("\n") == plain.count("\n")
