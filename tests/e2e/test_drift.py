"""Changes of children by others: fields of the operator are restored, other fields stay, and the status names them."""

import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.core.previous_status import REPEATED
from metahook.envtest.client import STRATEGIC
from metahook.envtest.process import Process
from tests.e2e.admission import add_container
from tests.e2e.cluster import Cluster
from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace, child
from tests.e2e.real_kubectl import RealKubectl
from tests.e2e.statuses import condition
from tests.e2e.test_apply_strategy import OF_THE_POD

LABELS = ("myresource", "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/managed-by")

OTHERS_OF_THE_POD: dict[str, Any] = {
    "securityContext": {"runAsUser": 201, "runAsGroup": None, "fsGroup": 203},
    "containers": [
        {
            "name": "main",
            "lifecycle": {"postStart": None, "preStop": {"exec": {"command": ["other"]}}},
            "securityContext": {"readOnlyRootFilesystem": False},
        }
    ],
    "dnsConfig": {"nameservers": ["192.0.2.9"], "options": [{"name": "ndots", "value": "9"}]},
    "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["a"]}],
    "initContainers": [
        {"name": "a", "image": "a:9", "resources": {"limits": {"memory": "1Gi"}}},
        {"name": "b", "livenessProbe": None},
        {"name": "d", "ports": [{"containerPort": 90, "name": "b"}]},
    ],
}

OURS: dict[str, tuple[str, dict[str, Any], int]] = {
    "replicas": ("Deployment", {"spec": {"replicas": 5}}, 1),
    "strategy": ("Deployment", {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}, 1),
    "all labels of the Deployment": ("Deployment", {"metadata": {"labels": dict.fromkeys(LABELS)}}, 2),
    "value of a label": ("Deployment", {"metadata": {"labels": {LABELS[3]: "me"}}}, 2),
    "selector": ("Service", {"spec": {"selector": {"myresource": "other"}}}, 1),
    "type": ("Service", {"spec": {"type": "NodePort"}}, 1),
    "pod": ("Deployment", {"spec": {"template": {"spec": OTHERS_OF_THE_POD}}}, 1),
}
"""The kind, the change, and the number of writes that restore it (a label takes one more, see repair.py)."""


@pytest.mark.each_mode
@pytest.mark.parametrize(("kind", "change", "writes"), OURS.values(), ids=list(OURS))
def test_a_changed_field_of_ours_is_restored_with_few_writes(
    here: Namespace, kind: str, change: dict[str, Any], writes: int
) -> None:
    here.ready(**PORT, **OF_THE_POD)
    done = here.since()

    here.edit(kind, change, how=STRATEGIC)
    here.eventually(lambda: bool(done.children))
    here.wait_until_ready()

    assert differences(here) == []
    assert len(done.children) == writes
    assert here.touched().writes == []


def fight(here: Namespace) -> None:
    """Set other replicas as soon as the operator has reverted them, until it leaves them for three seconds.

    It may revert them twice as often as it should.
    """
    for count in range(2 * REPEATED):
        here.edit("Deployment", {"spec": {"replicas": 2 + count}})
        end = time.time() + 3
        here.eventually(lambda: reverts(here) > count or time.time() > end)  # noqa: B023 - it is called here
        if reverts(here) == count:
            return


def reverts(here: Namespace) -> int:
    """Return how often the replicas of the Deployment have become 1 again."""
    numbers = [version.item["spec"]["replicas"] for version in here.versions("Deployment", child("Deployment"))]
    return [now for before, now in itertools.pairwise(numbers) if now != before].count(1)


WRITES, STATUSES = 2 * REPEATED, 10 * REPEATED
"""At most so many writes of the Deployment and of the status until the operator gives way. Twice what is usual, because
a status that is written from an old one loses count."""

HPA = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"},
        "minReplicas": 3,
        "maxReplicas": 5,
    },
}
"""It raises the replicas to minReplicas without any metrics, each 5 seconds."""


def test_an_autoscaler_of_the_deployment_is_named_and_its_replicas_stay_until_it_is_gone(here: Namespace) -> None:
    here.ready()
    done = here.since()

    here.put(HPA)
    here.wait_for_status("Failed", "Overridden")
    here.eventually(lambda: here.get("Deployment")["spec"]["replicas"] == 3 and len(here.pods()) == 3)
    here.wait_until_quiet(12)  # the autoscaler looks twice

    assert here.message().startswith("Field manager kube-controller-manager has changed a field of Deployment web-")
    assert "scaleTargetRef to kind MyResource, name web" in here.message()
    assert here.get("MyResource")["status"]["override"]["count"] == 3
    assert len(done.children) <= WRITES
    assert done.statuses <= STATUSES
    assert here.touched().writes == []

    here.delete("HorizontalPodAutoscaler", "web")
    here.change(replicas=2)
    here.wait_until_ready()
    assert here.get("Deployment")["spec"]["replicas"] == 2
    assert "override" not in here.get("MyResource")["status"]


def test_replicas_that_others_set_again_and_again_are_reverted_three_times(here: Namespace) -> None:
    here.ready()

    fight(here)

    assert reverts(here) == REPEATED
    assert here.state_and_reason() == ("Failed", "Overridden")
    assert here.get("MyResource")["status"]["override"]["count"] == REPEATED


def in_pod(**fields: Any) -> dict[str, Any]:
    return {"template": {"spec": fields}}


def in_main(**fields: Any) -> dict[str, Any]:
    return in_pod(containers=[{"name": "main", **fields}])


POD = "spec.template.spec"
MAIN = f"{POD}.containers[main]"
HOST = [{"name": "host", "hostPath": {"path": "/"}}]
MOUNTED = [{"name": "host", "mountPath": "/host"}]
FOREIGN: dict[str, tuple[str, dict[str, Any], str]] = {
    "env": ("kubectl-set", in_main(env=[{"name": "X", "value": "1"}]), f"{MAIN}.env[X] (kubectl-set)"),
    "root": ("kubectl-patch", in_main(securityContext={"runAsUser": 0}), f"{MAIN}.securityContext.runAsUser"),
    "host-path": (
        "kubectl-edit",
        in_pod(volumes=HOST, containers=[{"name": "main", "volumeMounts": MOUNTED}]),
        f"{MAIN}.volumeMounts[/host] (kubectl-edit), {POD}.volumes[host] (kubectl-edit)",
    ),
    "sidecar": (
        "kubectl-client-side-apply",
        in_pod(containers=[{"name": "side", "image": "side:1"}]),
        f"{POD}.containers[side] (kubectl-client-side-apply)",
    ),
    "paused": ("kubectl-rollout", {"paused": True}, "spec.paused (kubectl-rollout)"),
    "service": (
        "kubectl-patch",
        {"externalIPs": ["192.0.2.1"], "externalTrafficPolicy": "Local"},
        "spec.externalIPs (kubectl-patch), spec.externalTrafficPolicy (kubectl-patch)",
    ),
}
"""The name of the MyResource, the manager, the change of the spec of a child, and how the status names it."""

NUMBERS = itertools.count(1)


def kind_of(name: str) -> str:
    return "Service" if name == "service" else "Deployment"


@pytest.fixture(name="there", scope="module")
def _there(cluster: Cluster, metacontroller: Process) -> Iterator[Namespace]:  # noqa: ARG001 - it must run
    """Return a namespace with a MyResource for each change."""
    made = Namespace(cluster, f"foreign{next(NUMBERS)}")
    for name in FOREIGN:
        made.make(name, **PORT)
    for name, (manager, change, _) in FOREIGN.items():
        made.wait_until_ready(name)
        made.edit(kind_of(name), {"spec": change}, child(kind_of(name), name), how=STRATEGIC, manager=manager)
    yield made
    made.close()


def foreign_fields(here: Namespace, name: str = "web") -> str:
    """Return the message of the condition ForeignFields; empty without it."""
    found: str = condition(here.get("MyResource", name), "ForeignFields").get("message", "")
    return found


@pytest.mark.parametrize("name", FOREIGN)
def test_a_field_that_another_user_sets_is_named_and_removed_by_the_command(
    there: Namespace, kubectl: RealKubectl, name: str
) -> None:
    _, _, named = FOREIGN[name]
    kind = kind_of(name)
    there.eventually(lambda: foreign_fields(there, name) != "")
    there.wait_until_ready(name)

    message = foreign_fields(there, name)
    assert f"{kind} {child(kind, name)}: {named}" in message
    assert there.touched(name).writes == []
    assert differences(there, name) != []
    kubectl.run(message.partition("or remove them, beginning with: ")[2], "")
    there.eventually(lambda: foreign_fields(there, name) == "")
    there.wait_until_ready(name)

    assert differences(there, name) == []
    assert there.touched(name).writes == []


def test_what_a_policy_adds_at_admission_has_no_owner_and_is_not_reported(here: Namespace) -> None:
    """Neither what it adds to our writes, nor what it adds to those of another user."""
    add_container(here, "web")

    here.ready()
    here.edit("Deployment", {"spec": in_pod(hostname="x")}, how=STRATEGIC, manager="kubectl-edit")
    here.eventually(lambda: foreign_fields(here) != "")
    here.wait_until_ready()

    deployment = here.get("Deployment")
    assert sorted(each["name"] for each in deployment["spec"]["template"]["spec"]["containers"]) == ["first", "main"]
    assert "first" not in json.dumps(deployment["metadata"]["managedFields"])
    assert f"Deployment web-deployment: {POD}.hostname (kubectl-edit). Set" in foreign_fields(here)
    assert here.touched().writes == []
