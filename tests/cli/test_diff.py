import json
from collections.abc import Callable
from typing import Any

import pytest

from metahook.protocol.request_builder import Grouped, sync_request
from metahook.simulator.metacontroller.dynamic_apply import with_last_applied
from tests.cli.command import CommandResult, call, shown
from tests.requests.builders import NOW_TEXT, grouped, my_resource, owned, rolled_out, sync

Json = dict[str, Any]
Write = Callable[..., str]

IMAGE = "spec.template.spec.containers[0].image"
STAMP = "mygroup.example.com/applied"
CONFIG_HASH = "spec.template.metadata.annotations[mygroup.example.com/config]"
BACKUP = {"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}
MODES = ["dynamic-apply", "server-side-apply", "server-side-apply, recorded"]


@pytest.fixture(name="diff")
def _diff(write: Write) -> Callable[[Json, Json], CommandResult]:
    """Return a call of diff from one object (a MyResource or a request) to a MyResource."""
    return lambda old, new: call("diff", write(json.dumps(old), name="old.json"), write(new, name="new.yaml"))


def request_of(parent: Json, *children: Json, related: Grouped | None = None) -> Json:
    found: Json = json.loads(sync_request(parent, grouped(*children), related or {}))
    return found


def in_cluster(parent: Json, mode: str = "dynamic-apply", related: Grouped | None = None) -> list[Json]:
    """Return the children of *parent* as they are stored once Metacontroller has created them in *mode*."""
    recorded: Json = {} if mode == "server-side-apply" else {"managedFields": []}
    desired = sync(parent, related=related)["children"]
    children = [owned(child, parent, **recorded) for child in desired]
    if mode == "dynamic-apply":
        children = [with_last_applied(child, made) for child, made in zip(children, desired, strict=True)]
    return [rolled_out(child) if child["kind"] == "Deployment" else child for child in children]


def last_line(ended: CommandResult) -> str:
    return ended.out.splitlines()[-1]


WEB, EDITED = my_resource(), my_resource(image="nginx:1.28")
SERVED = my_resource(ports=[{"containerPort": 80}])
(DEPLOYMENT,) = in_cluster(WEB)
CREATED, RESTART = "No Pods are running: the Deployment would be created.", f"Pods restart: {IMAGE}"
NONE = "No Pods are running: the Deployment has 0 replicas."


def waiting(**spec: Any) -> Json:
    return my_resource(dependencies=[BACKUP], **spec)


def empty(**spec: Any) -> Json:
    return my_resource(replicas=0, **spec)


def observed(**metadata: Any) -> Json:
    """Return a request in which the Deployment has this *metadata*."""
    return request_of(WEB, {**DEPLOYMENT, "metadata": {**DEPLOYMENT["metadata"], **metadata}})


(OWNER,) = DEPLOYMENT["metadata"]["ownerReferences"]
OTHER = {**OWNER, "uid": "another"}


SAME = "Nothing changes."
LONGER = my_resource(terminationGracePeriodSeconds=31)
LONGER_RESTARTS = "Pods restart: spec.template.spec.terminationGracePeriodSeconds"
UNMET = "No Pods are running. DependencyNotFollowed: mybackups/nightly "
ENDS: dict[str, tuple[Json, Json, int, str]] = {
    "the same quantity": (my_resource(memory="64Mi"), my_resource(memory="65536Ki"), 0, SAME),
    "a default": (WEB, my_resource(terminationGracePeriodSeconds=30), 0, SAME),
    "another value than the default": (WEB, LONGER, 1, LONGER_RESTARTS),
    "scaling": (my_resource(replicas=1), my_resource(replicas=5), 1, "Pods keep running."),
    "no Deployment": (request_of(WEB), EDITED, 1, CREATED),
    "one that is being deleted": (observed(deletionTimestamp=NOW_TEXT), EDITED, 1, CREATED),
    "no replicas": (empty(), empty(image="nginx:1.28"), 1, NONE),
    "none, as observed": (request_of(empty(), *in_cluster(empty())), empty(image="nginx:1.28"), 1, NONE),
    "kept by an invalid spec": (request_of(my_resource(memory="64mb"), DEPLOYMENT), EDITED, 1, RESTART),
    "dependencies that are not met": (request_of(waiting(replicas=1)), waiting(replicas=2), 0, UNMET),
    "one more, before the first start": (request_of(WEB), waiting(), 1, "No Pods are running. "),
    "dependencies, as if they were met": (waiting(), waiting(image="nginx:1.28"), 1, RESTART),
    "one less": (request_of(waiting()), WEB, 1, CREATED),
    # As in the hook: the first controller decides. No API server would store two, but a file may have them.
    "the first of two controllers": (observed(ownerReferences=[OWNER, OTHER]), EDITED, 1, RESTART),
    "the second of two controllers": (observed(ownerReferences=[OTHER, OWNER]), EDITED, 1, CREATED),
}


@pytest.mark.parametrize(("old", "new", "code", "sentence"), ENDS.values(), ids=ENDS)
def test_what_happens_to_the_pods_is_the_last_line(
    old: Json, new: Json, code: int, sentence: str, diff: Callable[[Json, Json], CommandResult]
) -> None:
    ended = diff(old, new)

    assert (ended.code, ended.err) == (code, "")
    assert last_line(ended).startswith(sentence)
    assert (ended.out.count("\n") == 1) is (code == 0)


SERVICE = "--- Service web (old)\n+++ Service web (new)\n@@ "


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (my_resource(replicas=1), my_resource(replicas=5), "\n-  replicas: 1\n+  replicas: 5\n"),
        (WEB, SERVED, f"{SERVICE}-0,0 +1,"),
        (SERVED, WEB, f"{SERVICE}-1,"),
        (request_of(SERVED, *in_cluster(SERVED)), WEB, f"{SERVICE}-1,"),
    ],
    ids=["changed", "added", "removed", "removed, as observed"],
)
def test_what_changes_is_shown_without_the_stamp_of_the_generation(
    old: Json, new: Json, shown: str, diff: Callable[[Json, Json], CommandResult]
) -> None:
    ended = diff(old, new)

    assert shown in ended.out
    assert ("kind: Service\n" in ended.out) is ("Service" in shown)
    assert STAMP not in ended.out


@pytest.mark.parametrize("mode", MODES)
def test_a_recorded_request_without_an_edit_has_no_differences(
    mode: str, diff: Callable[[Json, Json], CommandResult]
) -> None:
    parent = my_resource(ports=[{"containerPort": 80}], env=[{"name": "A", "value": "1"}])

    ended = diff(request_of(parent, *in_cluster(parent, mode)), parent)

    assert ended == CommandResult(0, "Nothing changes.\n", "")


@pytest.mark.parametrize("mode", MODES)
def test_fields_added_by_others_stay_and_fields_that_the_edit_removes_go(
    mode: str, diff: Callable[[Json, Json], CommandResult]
) -> None:
    parent = my_resource(env=[{"name": "A", "value": "1"}])
    (deployment,) = in_cluster(parent, mode)
    deployment["spec"]["template"]["spec"]["containers"].append({"name": "sidecar", "image": "mesh:1"})

    ended = diff(request_of(parent, deployment), my_resource())

    changed = [line for line in ended.out.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert [line.split() for line in changed] == [["-", "env:"], ["-", "-", "name:", "A"], ["-", "value:", "'1'"]]
    assert last_line(ended) == "Pods restart: spec.template.spec.containers[0].env"


def test_a_new_order_of_variables_restarts_pods_only_under_server_side_apply(
    diff: Callable[[Json, Json], CommandResult], write: Write
) -> None:
    one, other = {"name": "A", "value": "1"}, {"name": "B", "value": "2"}
    parent, edited = my_resource(env=[one, other]), my_resource(env=[other, one])

    ends = [last_line(diff(request_of(parent, *in_cluster(parent, mode)), edited)) for mode in MODES[:2]]

    assert ends[0] == "Nothing changes."
    assert ends[1].startswith("Pods restart: spec.template.spec.containers[0].env[0].name")
    files = write(parent, name="a.yaml"), write(edited, name="b.yaml")
    assert last_line(call("diff", *files)) == ends[0]
    assert last_line(call("diff", *files, "--apply-strategy", "server-side-apply")) == ends[1]


# ConfigMaps and other related objects beside the edited MyResource


def config_map(name: str = "settings", *, namespace: str | None = "default", **data: str) -> Json:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def using(*names: str, **fields: Any) -> Json:
    return my_resource(envFrom=[{"configMapRef": {"name": name}} for name in names], **fields)


def running(parent: Json, *config_maps: Json, key: str = "default/{}") -> Json:
    """Return a recorded request with the children of *parent* and the *config_maps*, whose keys are as in *key*."""
    group = {key.format(item["metadata"]["name"]): item for item in config_maps}
    related = {"ConfigMap.v1": group} if config_maps else {}
    return request_of(parent, *in_cluster(parent, related=related), related=related)


USES, BOTH, ONE = using("settings"), using("settings", "more"), config_map(A="1")
RECORDED = running(BOTH, ONE, config_map("more", B="1"))
ROLLS = f"Pods restart: {CONFIG_HASH}"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        *(
            pytest.param(running(USES, ONE, key=key), (USES, config_map(A="2", namespace=namespace)), ROLLS, id=name)
            for name, key, namespace in (
                ("changed", "default/{}", "default"),
                ("changed, without a namespace", "default/{}", None),
                ("changed, recorded without a namespace", "{}", "default"),
                ("changed, without any namespace", "{}", None),
            )
        ),
        pytest.param(running(USES, ONE), (USES, ONE), SAME, id="the same"),
        pytest.param(running(USES, ONE), (USES, config_map("unused", A="2")), SAME, id="not used"),
        pytest.param(running(USES, ONE), (USES, config_map(A="2", namespace="shop")), SAME, id="of another namespace"),
        pytest.param(running(USES, ONE), (USES, {**config_map(A="2"), "kind": "Other"}), SAME, id="of another kind"),
        pytest.param(RECORDED, (BOTH, config_map("more", B="1")), SAME, id="one of two, the same"),
        pytest.param(RECORDED, (BOTH, config_map("more", B="2")), ROLLS, id="one of two, changed"),
        pytest.param(running(WEB), (USES, ONE), "Pods restart: ", id="only the edit uses it"),
    ],
)
def test_a_config_map_beside_the_edit_restarts_pods_if_what_they_use_changes(
    old: Json, new: tuple[Json, ...], sentence: str, write: Write
) -> None:
    """Those that are not beside the edit stay as they were recorded."""
    ended = call("diff", write(json.dumps(old), name="old.json"), write(*new, name="new.yaml"))

    assert last_line(ended).startswith(sentence)
    assert (ended.code, ended.err) == (int(sentence != SAME), "")
    assert ("+        mygroup.example.com/config: " in ended.out) is (sentence != SAME)


def test_a_dependency_beside_the_edit_is_met_and_one_that_was_not_recorded_is_unknown(write: Write) -> None:
    """So is shown what the Deployment would be once the dependency is met."""
    waiting = my_resource(dependencies=[BACKUP])
    old = write(json.dumps(request_of(waiting, related={"MyBackup.example.com/v1": {}})), name="old.json")
    unknown = write(json.dumps(request_of(waiting)), name="unknown.json")
    metadata, status = {"name": "nightly"}, {"conditions": [{"type": "Ready", "status": "True"}]}
    backup = {"apiVersion": "example.com/v1", "kind": "MyBackup", "metadata": metadata, "status": status}
    watch = ("--watch-dependency", "example.com/v1/mybackups/MyBackup")

    ends = [call("diff", old, write(*new, name="new.yaml"), *watch) for new in ((waiting,), (waiting, backup))]

    assert last_line(ends[0]).endswith("mybackups/nightly does not exist.")
    assert last_line(call("diff", unknown, write(waiting, name="new.yaml"), *watch)).endswith("observed yet.")
    assert last_line(ends[1]) == "No Pods are running: the Deployment would be created."


@pytest.mark.parametrize("key", ["request", "body"])
def test_a_recording_gives_the_same_diff_as_its_request(key: str, diff: Callable[[Json, Json], CommandResult]) -> None:
    request = request_of(my_resource(), *in_cluster(my_resource()))
    edited = my_resource(image="nginx:1.28")

    assert diff({"path": "/sync", "headers": {}, key: request}, edited) == diff(request, edited)


def test_only_a_terminal_gets_colours(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = write(my_resource(), name="a.yaml"), write(my_resource(image="nginx:1.28"), name="b.yaml")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    at_terminal, in_pipe = shown("diff", other, one), call("diff", other, one)

    assert "\x1b[31m-        image: nginx:1.28" in at_terminal
    assert "\x1b" not in in_pipe.out
    assert in_pipe.out.count("\n") == at_terminal.count("\n")
