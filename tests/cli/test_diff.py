"""``myresource diff``: what the operator gives to the toolkit's command, whose tests have what it compares."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from metahook.protocol.request_builder import Grouped, sync_request
from tests.cli.command import CommandResult, call
from tests.requests.builders import Json, grouped, my_resource, sync
from toolkit.cli.bound import MODES, created

Write = Callable[..., str]

IMAGE = "spec.template.spec.containers[0].image"
STAMP = "mygroup.example.com/applied"
CONFIG_HASH = "spec.template.metadata.annotations[mygroup.example.com/config]"
BACKUP = {"apiVersion": "example.com/v1", "resource": "mybackups", "name": "nightly"}


@pytest.fixture(name="diff")
def _diff(write: Write) -> Callable[[Json, Json], CommandResult]:
    """Return a call of diff from one object (a MyResource or a request) to a MyResource."""
    return lambda old, new: call("diff", write(json.dumps(old), name="old.json"), write(new, name="new.yaml"))


def request_of(parent: Json, *children: Json, related: Grouped | None = None) -> Json:
    found: Json = json.loads(sync_request(parent, grouped(*children), related or {}))
    return found


def in_cluster(parent: Json, mode: str = MODES[0], related: Grouped | None = None) -> list[Json]:
    """Return the children of *parent* as they are stored once they are created in *mode*."""
    return created(sync(parent, related=related)["children"], parent, mode)


def last_line(ended: CommandResult) -> str:
    return ended.out.splitlines()[-1]


def waiting(**spec: Any) -> Json:
    return my_resource(dependencies=[BACKUP], **spec)


WEB, EDITED = my_resource(), my_resource(image="nginx:1.28")
CREATED, RESTART = "No Pods are running: the Deployment would be created.", f"Pods restart: {IMAGE}"
SAME = "Nothing changes."
LONGER = my_resource(terminationGracePeriodSeconds=31)
LONGER_RESTARTS = "Pods restart: spec.template.spec.terminationGracePeriodSeconds"
UNMET = "No Pods are running. DependencyNotFollowed: mybackups/nightly "
ENDS: dict[str, tuple[Json, Json, int, str]] = {
    "the same quantity": (my_resource(memory="64Mi"), my_resource(memory="65536Ki"), 0, SAME),
    "a default": (WEB, my_resource(terminationGracePeriodSeconds=30), 0, SAME),
    "another value than the default": (WEB, LONGER, 1, LONGER_RESTARTS),
    "kept by an invalid spec": (request_of(my_resource(memory="64mb"), *in_cluster(WEB)), EDITED, 1, RESTART),
    "dependencies that are not met": (request_of(waiting(replicas=1)), waiting(replicas=2), 0, UNMET),
    "one more, before the first start": (request_of(WEB), waiting(), 1, "No Pods are running. "),
    "dependencies, as if they were met": (waiting(), waiting(image="nginx:1.28"), 1, RESTART),
    "one less": (request_of(waiting()), WEB, 1, CREATED),
}


@pytest.mark.parametrize(("old", "new", "code", "sentence"), ENDS.values(), ids=ENDS)
def test_what_happens_to_the_pods_is_the_last_line_and_no_stamp_is_shown(
    old: Json, new: Json, code: int, sentence: str, diff: Callable[[Json, Json], CommandResult]
) -> None:
    ended = diff(old, new)

    assert (ended.code, ended.err) == (code, "")
    assert last_line(ended).startswith(sentence)
    assert (ended.out.count("\n") == 1) is (code == 0)
    assert STAMP not in ended.out


@pytest.mark.parametrize("mode", MODES)
def test_a_recorded_request_without_an_edit_has_no_differences(
    mode: str, diff: Callable[[Json, Json], CommandResult]
) -> None:
    parent = my_resource(ports=[{"containerPort": 80}], env=[{"name": "A", "value": "1"}])

    ended = diff(request_of(parent, *in_cluster(parent, mode)), parent)

    assert ended == CommandResult(0, f"{SAME}\n", "")


# ConfigMaps and other related objects beside the edited MyResource


def config_map(name: str = "settings", *, namespace: str | None = "default", **data: str) -> Json:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def using(*names: str, **fields: Any) -> Json:
    return my_resource(envFrom=[{"configMapRef": {"name": name}} for name in names], **fields)


@pytest.mark.parametrize(("level", "code", "sentence"), [("1", 0, SAME), ("2", 1, f"Pods restart: {CONFIG_HASH}")])
def test_a_config_map_beside_the_edit_restarts_pods_if_it_changes(
    level: str, code: int, sentence: str, write: Write
) -> None:
    parent, (one, other) = using("settings"), (config_map(LEVEL=each) for each in ("1", level))
    related = {"ConfigMap.v1": {"default/settings": one}}
    old = request_of(parent, *in_cluster(parent, related=related), related=related)

    ended = call("diff", write(json.dumps(old), name="old.json"), write(parent, other, name="new.yaml"))

    assert (ended.code, last_line(ended)) == (code, sentence)


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
