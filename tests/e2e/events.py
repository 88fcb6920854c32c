"""Events around a MyResource that is Ready and watches every kind that it can."""

from collections.abc import Callable

from metahook.envtest.client import MERGE
from metahook.simulator.objects import Json
from tests.e2e.namespace import Namespace
from tests.e2e.used import BACKUP, SECRETS, SETTINGS, TOKEN, USED, set_ready

OTHERS = 20

_FOREIGN = {"type": "example.com/looked", "status": "True", "reason": "Looked", "message": "by another controller"}
"""A condition of another controller."""


def _condition(kind: str) -> Callable[[Namespace], None]:
    def happen(here: Namespace) -> None:
        item = _one(here, kind)
        conditions = [*item["status"].get("conditions", []), _FOREIGN]
        _status(here, kind, item["metadata"]["name"], {"conditions": conditions})

    return happen


def _one(here: Namespace, kind: str) -> Json:
    """Return the newest object of ``web`` of this kind; an old one may exist until it is collected."""
    found = here.client.all(kind, here.name, labelSelector="myresource=web")
    return max(found, key=lambda item: int(item["metadata"]["resourceVersion"]))


def _status(here: Namespace, kind: str, name: str, status: object) -> None:
    here.client.change(kind, here.name, name, {"status": status}, how=MERGE, part="/status")


def _its_status(here: Namespace) -> None:
    """Change the status and change it back; otherwise the next sync for any reason would correct it."""
    for replicas in (7, 2):
        _status(here, "MyResource", "web", {"replicas": replicas})


def _pod_restarts(here: Namespace) -> None:
    """Restart the container of a Pod."""
    pod = _one(here, "Pod")
    name, (container,) = pod["metadata"]["name"], pod["status"]["containerStatuses"]
    for ready in (False, True):
        conditions = [{**each, "status": str(ready or each["type"] in _KEPT)} for each in pod["status"]["conditions"]]
        restarted = {**container, "restartCount": 1, "ready": ready, "started": ready}
        _status(here, "Pod", name, {"conditions": conditions, "containerStatuses": [restarted]})
        here.wait_until_quiet()


_KEPT = ("Initialized", "PodScheduled")


def _config_map(**data: str) -> Callable[[Namespace], None]:
    return lambda here: here.edit("ConfigMap", {"data": data}, SETTINGS)


def _secret(**data: str) -> Callable[[Namespace], None]:
    return lambda here: here.edit("Secret", {"data": data}, TOKEN)


def _deployment(**spec: int) -> Callable[[Namespace], None]:
    return lambda here: here.edit("Deployment", {"spec": spec})


def _annotated(kind: str, name: str) -> Callable[[Namespace], None]:
    return lambda here: here.edit(kind, {"metadata": {"annotations": {"example.com/a": "1"}}}, name)


def _others(here: Namespace) -> None:
    for number in range(OTHERS):
        here.make(f"other{number}")
    for number in range(OTHERS):
        here.wait_for_status("Ready", "Available", f"other{number}")


EVENTS: dict[str, Callable[[Namespace], None]] = {
    "another client changes its status": _its_status,
    "one of its labels changes": lambda here: here.edit("MyResource", {"metadata": {"labels": {"a": "b"}}}, "web"),
    "one of its annotations changes": _annotated("MyResource", "web"),
    "its spec changes, without a rollout": lambda here: here.change(revisionHistoryLimit=3),
    "its spec changes, with a rollout of two Pods": lambda here: here.change(image="nginx:1.28"),
    "the status of a Pod changes": _condition("Pod"),
    "a Pod restarts": _pod_restarts,
    "the status of a ReplicaSet changes": _condition("ReplicaSet"),
    "the status of its Deployment changes": _condition("Deployment"),
    "a field of its Deployment that the operator does not set changes": _deployment(progressDeadlineSeconds=700),
    "a field of its Deployment that the operator sets changes": _deployment(replicas=3),
    "an unrelated ConfigMap changes": _annotated("ConfigMap", "unrelated"),
    "metadata of a ConfigMap that it uses changes": _annotated("ConfigMap", SETTINGS),
    "a ConfigMap key that it does not use changes": _config_map(OTHER="2"),
    "a ConfigMap key that it uses changes": _config_map(**{USED: "bye"}),
    "a Secret key that it does not use changes": _secret(OTHER="Mg=="),
    "a Secret key that it uses changes": _secret(**{USED: SECRETS[1]}),
    "the status of a dependency changes": lambda here: set_ready(here.client, here.name, reason="Looked"),
    "a dependency is deleted": lambda here: here.delete("MyBackup", BACKUP),
    f"{OTHERS} other MyResources are created": _others,
}
