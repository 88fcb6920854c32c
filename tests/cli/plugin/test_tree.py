import copy

import pytest

from app.cli.plugin.tree import rank, state, text, tree
from app.core.desired.children import CHILDREN
from tests.cli.plugin.recorded import MYRESOURCE, OBJECTS, Json

DRAWN = f"""\
OBJECT                                            STATE
{"MyResource/web":<50}Building (ImagePullFailed)
|-- Deployment/web-deployment                     2 of 2 available, 1 updated
|   |-- ReplicaSet/web-deployment-5d58dcf8d9      0 of 1 ready
|   |   `-- Pod/web-deployment-5d58dcf8d9-4tbpk   ImagePullBackOff, 0 of 1 ready
|   `-- ReplicaSet/web-deployment-5f8b968b8b      2 of 2 ready
|       |-- Pod/web-deployment-5f8b968b8b-c5lg2   Running, 1 of 1 ready
|       `-- Pod/web-deployment-5f8b968b8b-xnls5   Running, 1 of 1 ready
`-- Service/web                                   ClusterIP 80/TCP"""


def drawn(objects: list[Json]) -> str:
    return text(tree(MYRESOURCE, objects), objects)


def changed(kind: str, **fields: Json) -> list[Json]:
    """Return the objects, with these *fields* merged into the first one of *kind*."""
    objects = copy.deepcopy(OBJECTS)
    first = next(item for item in objects if item["kind"] == kind)
    for name, value in fields.items():
        first[name] = {**first.get(name, {}), **value}
    return objects


def test_a_kind_without_words_of_its_own_comes_last() -> None:
    assert max(rank(kind) for kind in (*(kind.KIND.kind for kind in CHILDREN), "ReplicaSet", "Pod")) < rank("Backup")


def test_the_newest_replica_set_is_first_and_the_order_of_objects_does_not_matter() -> None:
    assert drawn(OBJECTS) == DRAWN
    assert drawn(OBJECTS[::-1]) == DRAWN


def test_an_object_without_its_owner_is_listed_apart() -> None:
    objects = changed("Pod", metadata={"ownerReferences": [], "name": "foreign", "uid": "other"})

    assert drawn(objects).splitlines()[-3:] == [
        "",
        "OBJECT        STATE",
        "Pod/foreign   ImagePullBackOff, 0 of 1 ready",
    ]
    assert "Not its children, but with the label myresource=web:" in drawn(objects)


@pytest.mark.parametrize(("replicas", "is_shown"), [(0, False), (1, True)])
def test_an_old_replica_set_is_shown_while_it_has_pods(*, replicas: int, is_shown: bool) -> None:
    old = copy.deepcopy(next(item for item in OBJECTS if item["kind"] == "ReplicaSet"))
    old["metadata"] |= {"name": "web-deployment-old", "uid": "old"}
    old["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "0"
    old["spec"]["replicas"] = replicas

    assert ("ReplicaSet/web-deployment-old" in drawn([*OBJECTS, old])) is is_shown


def container(**state: Json) -> Json:
    return {"ready": False, "restartCount": 0, "state": state}


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"kind": "MyResource"}, "no status yet"),
        ({"kind": "Pod", "status": {"phase": "Pending"}}, "Pending"),
        ({"kind": "Pod", "status": {"phase": "Failed", "reason": "Evicted"}}, "Evicted"),
        (
            {"kind": "Pod", "status": {"initContainerStatuses": [container(waiting={"reason": "CrashLoopBackOff"})]}},
            "CrashLoopBackOff",
        ),
        (
            {"kind": "Pod", "status": {"containerStatuses": [{**container(running={}), "restartCount": 2}]}},
            "Pending, 0 of 1 ready, 2 restarts",
        ),
        (
            {"kind": "Pod", "status": {"containerStatuses": [{**container(running={}), "restartCount": 1}]}},
            "Pending, 0 of 1 ready, 1 restart",
        ),
        (
            {
                "kind": "Pod",
                "status": {"containerStatuses": [container(terminated={"reason": "OOMKilled", "exitCode": 137})]},
            },
            "OOMKilled, 0 of 1 ready",
        ),
        ({"kind": "Deployment", "spec": {"replicas": 2, "paused": True}}, "0 of 2 available, 0 updated, paused"),
        ({"kind": "Service", "spec": {"type": "ExternalName"}}, "ExternalName"),
        ({"kind": "HorizontalPodAutoscaler", "spec": {"maxReplicas": 5}}, "0 desired, from 1 to 5"),
        (
            {"kind": "PodDisruptionBudget", "status": {"disruptionsAllowed": 1, "expectedPods": 3}},
            "1 of 3 may be evicted",
        ),
        ({"kind": "Ingress", "spec": {"rules": [{"host": "a.example.com"}]}}, "a.example.com, not yet admitted"),
        ({"kind": "HTTPRoute", "spec": {"hostnames": ["a.example.com"]}}, "a.example.com"),
        ({"kind": "ConfigMap"}, ""),
        ({"kind": "Backup", "status": {"phase": "Running"}}, "Running"),
        (
            {"kind": "Backup", "status": {"conditions": [{"type": "Ready", "status": "False"}]}},
            "Ready is False",
        ),
    ],
    ids=str,
)
def test_a_state_is_short(item: Json, words: str) -> None:
    assert state({"metadata": {}, **item}) == words
    assert state({**item, "metadata": {"deletionTimestamp": "2026-01-31T12:00:00Z"}}) == "Terminating"


def test_a_status_of_the_previous_spec_is_marked() -> None:
    generation = MYRESOURCE["metadata"]["generation"] + 1

    assert state({**MYRESOURCE, "metadata": {"generation": generation}}).endswith(", of the previous spec")


def test_a_control_character_does_not_reach_the_terminal() -> None:
    objects = changed("Pod", status={"containerStatuses": [container(waiting={"reason": "\x1b[2J"})]})

    assert "\x1b" not in drawn(objects)
