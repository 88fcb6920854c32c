"""Fields that were applied before and stay, and those of others, are found by who owns them, as real ones recorded it.

The requests in tests/data/leftovers.json were recorded on a control plane, with ``managedFields``, while the apply
strategy changed to server-side apply, as in tests/e2e/test_apply_strategy.py, and back.
"""

import json
import re
from copy import deepcopy
from datetime import timedelta

import pytest

from app.api.scalars import MAX_MESSAGE
from app.core.child_metadata import GENERATION_STAMP
from app.core.desired.children import CHILDREN
from app.core.watch import Watch
from metahook import SyncRequest
from metahook.protocol.leftovers import format_path, leftovers
from metahook.protocol.request_builder import sync_request
from tests.docs.documents import ROOT
from tests.requests.builders import NOW, UID, Json, condition, finished, grouped, my_resource, sync

RECORDED: Json = json.loads((ROOT / "tests/data/leftovers.json").read_text())

MAIN = "spec.template.spec.containers[main]"
OF_DEPLOYMENT = [
    "spec.template.metadata.annotations.x.example.com/a",
    f"{MAIN}.args",
    f"{MAIN}.env[B]",
    f"{MAIN}.livenessProbe",
    f"{MAIN}.ports[81]",
    f"{MAIN}.resources.limits.cpu",
    f"{MAIN}.volumeMounts[/s]",
    "spec.template.spec.nodeSelector",
    "spec.template.spec.terminationGracePeriodSeconds",
    "spec.template.spec.volumes[s]",
]
OF_SERVICE = ["metadata.annotations.x.example.com/s", "spec.ports[81]"]

WITH_LEFTOVERS = {
    "dropped-under-server-side-apply": OF_DEPLOYMENT + OF_SERVICE,
    "undone-under-server-side-apply": OF_DEPLOYMENT,
    "dropped-before-dynamic-apply": OF_DEPLOYMENT + OF_SERVICE,
}
WITHOUT = ["dynamic-apply", "server-side-apply", "changed-to-server-side-apply", "changed-back-to-dynamic-apply"]
WITHOUT += ["dropped-under-dynamic-apply"]


def recorded(name: str) -> Json:
    found: Json = deepcopy(RECORDED[name])
    return found


def children_of(request: Json) -> list[Json]:
    return [item for group in request["children"].values() for item in group.values()]


def found(parent: Json, children: list[Json]) -> list[str]:
    """Return the leftovers on *children*, compared with what the hook answers for *parent*."""
    observed = SyncRequest.decode(sync_request(parent, grouped(*children), {}), CHILDREN).children
    wanted = sync(parent, *children)["children"]
    return [format_path(path) for child in wanted if "spec" in child for path in leftovers(child, observed)]


@pytest.mark.parametrize("name", WITHOUT)
def test_nothing_is_found_where_nothing_is_dropped_or_metacontroller_removes_it(name: str) -> None:
    request = recorded(name)

    assert found(request["parent"], children_of(request)) == []


# One field at a time


def owning(fields: Json, *, manager: str = "metacontroller", operation: str = "Update", **more: str) -> Json:
    return {"manager": manager, "operation": operation, "apiVersion": "apps/v1", "fieldsV1": fields, **more}


def in_pod(**fields: Json) -> Json:
    return {"f:spec": {"f:template": {"f:spec": {f"f:{name}": value for name, value in fields.items()}}}}


def observed(*owners: Json) -> tuple[Json, Json]:
    """Return a parent, and its finished Deployment with these *owners*, with labels and a probe that are not ours."""
    parent = my_resource()
    (deployment,) = finished(parent)
    main = deployment["spec"]["template"]["spec"]["containers"][0]
    main["livenessProbe"] = {"exec": {"command": ["a"]}, "periodSeconds": 7}
    deployment["metadata"]["labels"] |= dict.fromkeys(("team", "both", "theirs"), "x")
    deployment["metadata"]["managedFields"] = list(owners)
    return parent, deployment


# The status


def stuck(parent: Json, children: list[Json]) -> Json:
    """Return the answer ten minutes after the leftovers were first observed: NOW is before the times of recordings."""
    first = sync(parent, *children)
    return sync({**parent, "status": first["status"]}, *children, now=NOW + timedelta(minutes=10))


@pytest.mark.parametrize("name", WITH_LEFTOVERS)
def test_ready_is_false_at_once_where_fields_stay_and_names_the_command_after_a_minute(name: str) -> None:
    request = recorded(name)
    parent, children = request["parent"], children_of(request)
    assert sorted(found(parent, children)) == sorted(WITH_LEFTOVERS[name])
    parent.pop("status")

    answers = [sync(parent, *children), stuck(parent, children)]
    first, later = map(condition, answers)

    assert (first["status"], first["reason"]) == ("False", "Building")
    assert first["message"] == "Waiting for the removal of leftover fields of Deployment web-deployment."
    assert (later["status"], later["reason"]) == ("False", "LeftoverFields")
    assert "Remove them: kubectl patch deployment web-deployment -n " in later["message"]
    assert answers[0]["children"] == answers[1]["children"]  # so that nothing is written


# The command


def test_as_many_as_fit_are_removed_at_once_and_the_message_is_never_cut() -> None:
    parent, deployment = observed()
    names = [f"VARIABLE_{number}_{'x' * 40}" for number in range(100)]
    items: Json = {f'k:{{"name":"{name}"}}': {".": {}, "f:name": {}, "f:value": {}} for name in names}
    deployment["metadata"]["managedFields"] = [owning(in_pod(containers={'k:{"name":"main"}': {"f:env": items}}))]
    main = deployment["spec"]["template"]["spec"]["containers"][0]
    main["env"] = [{"name": name, "value": "1"} for name in names]

    message = condition(stuck(parent, [deployment]))["message"]

    assert len(message) <= MAX_MESSAGE
    assert message.endswith("}'")
    assert 3 < message.count("$patch") < 100


# Fields of others

PORT = [{"name": "http", "containerPort": 80}]
EDITED: Json = {"manager": "kubectl-edit"}
PATHS = f"{MAIN}.command (kubectl-edit), {MAIN}.env[X] (kubectl-set, other), spec.template.spec.hostNetwork"


def edited(*more: Json) -> tuple[Json, list[Json]]:
    """Return a Ready parent whose children have fields that others set, and *more* owners of the Deployment."""
    parent = my_resource(ports=PORT)
    deployment, service = finished(parent)
    pod = deployment["spec"]["template"]["spec"]
    pod["hostNetwork"] = True
    pod["containers"][0] |= {"command": ["sh"], "env": [{"name": "X", "value": "1"}]}
    service["spec"]["externalIPs"] = ["192.0.2.1"]
    variable: Json = {'k:{"name":"main"}': {"f:env": {".": {}, 'k:{"name":"X"}': {".": {}, "f:value": {}}}}}
    command: Json = {'k:{"name":"main"}': {"f:command": {}, "f:image": {}}}
    deployment["metadata"]["managedFields"] += [
        owning(in_pod(hostNetwork={}, containers=command), **EDITED),
        owning(in_pod(containers=variable), manager="other", operation="Apply"),
        owning(in_pod(containers=variable), manager="kubectl-set"),
        *more,
    ]
    service["metadata"]["managedFields"] += [owning({"f:spec": {"f:externalIPs": {}}}, manager="kubectl-patch")]
    return parent, [deployment, service]


def foreign(answer: Json) -> str:
    """Return the message of the condition ForeignFields; empty without it."""
    found = [each for each in answer["status"]["conditions"] if each["type"] == "ForeignFields"]
    return found[0]["message"] if found else ""


def test_fields_that_others_set_are_named_with_their_managers_and_change_nothing_else() -> None:
    parent, children = edited()

    answer = sync(parent, *children)

    assert f"Deployment web-deployment: {PATHS} (kubectl-edit); Service web: spec.externalIPs (kubectl-patch). Set" in (
        foreign(answer)
    )
    assert condition(answer, "ForeignFields")["reason"] == "SetByOthers"
    plain = sync(parent, *finished(parent))
    kept = [each for each in answer["status"]["conditions"] if each["type"] != "ForeignFields"]
    assert {**answer, "status": {**answer["status"], "conditions": kept}} == plain
    assert foreign(plain) == ""


def test_the_command_removes_those_of_the_first_child() -> None:
    parent, children = edited()

    text = foreign(sync(parent, *children)).partition("or remove them, beginning with: ")[2]

    assert text == (
        "kubectl patch deployment web-deployment -n default --field-manager=metacontroller -p "
        """'{"spec":{"template":{"spec":{"containers":[{"name":"main","command":null,"""
        """"env":[{"name":"X","$patch":"delete"}]}],"hostNetwork":null}}}}'"""
    )
    assert "kubectl patch service web " in foreign(sync(parent, *finished(parent)[:1], children[1]))


@pytest.mark.parametrize(
    ("expected", "named"),
    [
        (("kubectl-edit",), ["kubectl-set", "kubectl-patch"]),
        (("kubectl-set", "other"), ["kubectl-edit", "kubectl-edit", "kubectl-patch"]),
        (("kubectl-edit", "kubectl-set", "other", "kubectl-patch"), []),
        (("*",), []),
    ],
)
def test_fields_of_expected_managers_are_not_reported(expected: tuple[str, ...], named: list[str]) -> None:
    parent, children = edited()

    message = foreign(sync(parent, *children, watch=Watch(expected_managers=expected)))

    assert re.findall(r"\((kubectl-\w+)", message) == (named if message else [])
    assert bool(message) == bool(named)


@pytest.mark.parametrize(
    ("spec", "made_for"),
    [
        pytest.param({"image": ""}, 1, id="invalid"),
        pytest.param({"image": "nginx:1.27", "ports": PORT}, 2, id="stale"),
    ],
)
def test_while_children_are_kept_the_fields_that_were_applied_are_not_foreign(spec: Json, made_for: int) -> None:
    """Not those of the spec: it is not the one that was applied."""
    parent, (deployment, service) = edited()
    applied = deployment["metadata"]["managedFields"][0]["fieldsV1"]
    applied["f:spec"]["f:template"]["f:spec"]["f:hostNetwork"] = {}
    deployment["metadata"]["annotations"][GENERATION_STAMP] = f"{made_for}-{UID[:8]}"

    message = foreign(sync({**parent, "spec": spec}, deployment, service))

    assert f"{MAIN}.command (kubectl-edit)" in message
    assert "hostNetwork" not in message
