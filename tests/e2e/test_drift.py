"""Changes of children by others: fields of the operator are restored, other fields stay, and the status names them."""

import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.core.status.facts.override import REPEATED
from metahook.envtest.client import STRATEGIC, Refused
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.admission import add_container
from tests.e2e.cluster import Cluster
from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace, child
from tests.e2e.shell import Shell
from tests.e2e.statuses import condition

LABELS = ("myresource", "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/managed-by")

OF_THE_POD: dict[str, Any] = {
    "runAsUser": 101,
    "runAsGroup": 102,
    "fsGroup": 103,
    "readOnlyRootFilesystem": True,
    "lifecycle": {"postStart": {"httpGet": {"port": 80}}, "preStop": {"sleep": {"seconds": 5}}},
    "dnsConfig": {"nameservers": ["192.0.2.1"], "options": [{"name": "ndots", "value": "2"}]},
    "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["a", "b"]}],
    "initContainers": [
        {"name": "a", "image": "a:1", "memory": "64Mi"},
        {"name": "b", "image": "b:1", "restartPolicy": "Always", "livenessProbe": {"httpGet": {"port": 80}}},
        {"name": "d", "image": "d:1", "restartPolicy": "Always", "ports": [{"name": "a", "containerPort": 90}]},
    ],
}
OTHERS_OF_THE_POD: dict[str, Any] = {
    "securityContext": {"runAsUser": 201, "runAsGroup": None, "fsGroup": 203},
    "containers": [
        {
            "name": "main",
            "lifecycle": {"postStart": None, "preStop": {"sleep": {"seconds": 9}}},
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


WRITES, STATUSES = 2 * REPEATED, 10 * REPEATED
"""At most so many writes of the Deployment and of the status until the operator gives way. Twice what is usual, because
a status that is written from an old one loses count."""


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


def test_a_deployment_deleted_by_hand_is_recreated(here: Namespace) -> None:
    here.ready(replicas=2)
    before = here.get("Deployment")["metadata"]["uid"]

    here.delete("Deployment", policy="Orphan")
    here.eventually(lambda: (here.find("Deployment") or {"metadata": {"uid": before}})["metadata"]["uid"] != before)
    here.wait_until_ready()

    assert differences(here) == []
    assert len(here.pods()) == 2


def test_foreign_labels_and_annotations_are_kept(here: Namespace) -> None:
    here.ready(**PORT)
    theirs = {"metadata": {"labels": {"team": "a"}, "annotations": {"example.com/note": "b"}}}
    for kind in ("Deployment", "Service"):
        here.edit(kind, theirs)

    here.change(image="nginx:1.28")
    here.wait_until_ready()

    for kind in ("Deployment", "Service"):
        metadata = here.get(kind)["metadata"]
        assert metadata["labels"]["team"] == "a"
        assert metadata["annotations"]["example.com/note"] == "b"


MOUNT = {"name": "shared", "mountPath": "/shared"}
INJECTED = {
    "volumes": [{"name": "shared", "emptyDir": {}}],
    "containers": [
        {"name": "sidecar", "image": "side:1", "volumeMounts": [MOUNT]},
        {"name": "main", "env": [{"name": "THEIRS", "value": "1"}], "volumeMounts": [MOUNT]},
    ],
}


def inject(here: Namespace) -> None:
    """Add a sidecar and a volume that both containers mount, as a sidecar injector does."""
    here.edit("Deployment", {"spec": {"template": {"spec": INJECTED}}}, how=STRATEGIC)
    here.wait_until_ready()


def test_an_injected_sidecar_is_kept_with_its_volume(here: Namespace) -> None:
    here.ready(env=[{"name": "OURS", "value": "1"}])
    inject(here)

    here.change(image="nginx:1.28", env=[{"name": "OURS", "value": "2"}])
    here.wait_until_ready()

    main, spec = here.main(), here.get("Deployment")["spec"]["template"]["spec"]
    assert sorted(item["name"] for item in spec["containers"]) == ["main", "sidecar"]
    assert sorted(item["name"] for item in main["env"]) == ["OURS", "THEIRS"]
    assert main["volumeMounts"] == [MOUNT]
    assert here.touched().writes == []


@pytest.mark.each_mode
def test_removing_our_last_variable_removes_foreign_ones_under_dynamic_apply_only(here: Namespace, mode: Mode) -> None:
    here.ready(env=[{"name": "OURS", "value": "1"}])
    inject(here)

    here.change(env=None)
    here.wait_until_ready()

    left = [] if mode == "dynamic-apply" else ["THEIRS"]
    assert [item["name"] for item in here.main().get("env", [])] == left


@pytest.mark.each_mode
def test_init_containers_start_in_the_order_of_the_spec_or_nothing_changes(here: Namespace, mode: Mode) -> None:
    def listed(*names: str) -> list[dict[str, Any]]:
        return [{"name": name, "image": f"{name}:1"} for name in names]

    def names() -> list[str]:
        return [item["name"] for item in here.get("Deployment")["spec"]["template"]["spec"]["initContainers"]]

    here.ready(initContainers=listed("a", "b"))
    inject(here)
    here.change(initContainers=listed("new", "b", "a"))
    if mode == "dynamic-apply":
        here.wait_for_status("Failed", "InvalidSpec")
        here.wait_until_quiet()
        assert names() == ["a", "b"]
        assert here.touched().writes == []
        here.change(initContainers=listed("new", "b-later", "a-later"))
        here.wait_until_ready()
        assert names() == ["new", "b-later", "a-later"]
    else:
        here.wait_until_ready()
        assert names() == ["new", "b", "a"]
    assert here.touched().writes == []


@pytest.mark.parametrize("addresses", [(None, "None"), ("None", None)], ids=["to headless", "to an address"])
def test_a_service_becomes_headless_or_gets_an_address_only_after_its_deletion(
    here: Namespace, addresses: tuple[str | None, str | None]
) -> None:
    before, after = addresses
    here.ready(**PORT, service={"clusterIP": before} if before else {})
    assert (here.get("Service")["spec"]["clusterIP"] == "None") == (before == "None")

    with pytest.raises(Refused, match=r"set service[.]mode to Disabled, and to Auto again"):
        here.change(service={"clusterIP": after})
    here.change(service={"mode": "Disabled", "clusterIP": after})
    here.eventually(lambda: here.find("Service") is None)
    here.change(service={"mode": "Auto"})
    here.eventually(lambda: here.find("Service") is not None)
    here.wait_until_ready()

    assert (here.get("Service")["spec"]["clusterIP"] == "None") == (after == "None")
    assert differences(here) == []
    assert here.touched().writes == []


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
    there: Namespace, cluster: Cluster, name: str
) -> None:
    _, _, named = FOREIGN[name]
    kind = kind_of(name)
    there.eventually(lambda: foreign_fields(there, name) != "")
    there.wait_until_ready(name)

    message = foreign_fields(there, name)
    assert f"{kind} {child(kind, name)}: {named}" in message
    assert there.touched(name).writes == []
    assert differences(there, name) != []
    Shell(cluster.client, cluster.control_plane.kubeconfig("admin")).run(
        message.partition("or remove them, beginning with: ")[2]
    )
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
