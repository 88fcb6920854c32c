"""Changes of children by others: fields of the operator are restored, other fields stay."""

from typing import Any

import pytest

from app.core.status.override import REPEATED
from metahook.envtest.client import STRATEGIC
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.fresh import differences
from tests.e2e.namespace import PORT, Namespace

LABELS = ("myresource", "app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/managed-by")

OURS: dict[str, tuple[str, dict[str, Any], int]] = {
    "replicas": ("Deployment", {"spec": {"replicas": 5}}, 1),
    "image": ("Deployment", {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "x:1"}]}}}}, 1),
    "strategy": ("Deployment", {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}, 1),
    "mark": ("Deployment", {"metadata": {"annotations": {"mygroup.example.com/applied": None}}}, 1),
    "label of the Deployment": ("Deployment", {"metadata": {"labels": {LABELS[0]: None}}}, 2),
    "all labels of the Deployment": ("Deployment", {"metadata": {"labels": dict.fromkeys(LABELS)}}, 2),
    "value of a label": ("Deployment", {"metadata": {"labels": {LABELS[3]: "me"}}}, 2),
    "label of the Service": ("Service", {"metadata": {"labels": {LABELS[1]: None}}}, 2),
    "selector": ("Service", {"spec": {"selector": {"myresource": "other"}}}, 1),
    "type": ("Service", {"spec": {"type": "NodePort"}}, 1),
}
"""The kind, the change, and the number of writes that restore it (a label takes one more, see repair.py)."""


WRITES, STATUSES = 2 * REPEATED, 10 * REPEATED
"""At most so many writes of the Deployment and of the status until the operator gives way. Twice what is usual, because
a status that is written from an old one loses count."""


@pytest.mark.parametrize(("kind", "change", "writes"), OURS.values(), ids=list(OURS))
def test_a_changed_field_of_ours_is_restored_with_few_writes(
    here: Namespace, kind: str, change: dict[str, Any], writes: int
) -> None:
    here.ready(**PORT)
    done = here.since()

    here.edit(kind, change, how=STRATEGIC)
    here.eventually(lambda: bool(done.children))
    here.wait_until_ready()

    assert differences(here) == []
    assert len(done.children) == writes
    assert here.touched().writes == []


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

    assert here.message().startswith(
        "Field manager kube-controller-manager keeps overwriting a field of Deployment web-"
    )
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


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
def test_a_deployment_deleted_by_hand_is_recreated(here: Namespace, policy: str) -> None:
    here.ready(replicas=2)
    before = here.get("Deployment")["metadata"]["uid"]

    here.delete("Deployment", policy=policy)
    here.eventually(lambda: (here.find("Deployment") or {"metadata": {"uid": before}})["metadata"]["uid"] != before)
    here.wait_until_ready()

    assert differences(here) == []
    assert len(here.pods()) == 2


def test_a_service_deleted_by_hand_is_recreated(here: Namespace) -> None:
    here.ready(**PORT)
    before = here.get("Service")["metadata"]["uid"]

    here.delete("Service")
    here.eventually(lambda: (here.find("Service") or {"metadata": {"uid": before}})["metadata"]["uid"] != before)
    here.wait_until_ready()

    assert differences(here) == []


@pytest.mark.parametrize("kind", ["Deployment", "Service"])
def test_a_child_without_its_owner_is_adopted_again(here: Namespace, kind: str) -> None:
    here.ready(**PORT)

    here.edit(kind, {"metadata": {"ownerReferences": None}})

    here.eventually(lambda: "ownerReferences" in here.get(kind)["metadata"])
    here.wait_until_ready()


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


def test_removing_our_last_variable_removes_foreign_ones_under_dynamic_apply_only(here: Namespace, mode: Mode) -> None:
    here.ready(env=[{"name": "OURS", "value": "1"}])
    inject(here)

    here.change(env=None)
    here.wait_until_ready()

    left = [] if mode == "dynamic-apply" else ["THEIRS"]
    assert [item["name"] for item in here.main().get("env", [])] == left


def test_a_rollout_restart_is_kept(here: Namespace) -> None:
    here.ready()
    pods = here.pods()
    restart = {"kubectl.kubernetes.io/restartedAt": "2026-01-31T00:00:00Z"}

    here.edit("Deployment", {"spec": {"template": {"metadata": {"annotations": restart}}}})
    here.eventually(lambda: not pods & here.pods())
    here.wait_until_ready()

    assert here.get("Deployment")["spec"]["template"]["metadata"]["annotations"] == restart
    assert here.touched().writes == []
