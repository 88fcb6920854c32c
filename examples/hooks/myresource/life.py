"""The life of a MyResource, and what exists after each event: with the reconciler in Go, and with the hook."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from metahook import Manifest


class Stage(Protocol):
    """A cluster in which one of the two runs."""

    def apply(self, manifest: Manifest) -> object:
        """Create or change an object."""

    def delete(self, kind: str, name: str) -> object:
        """Delete an object."""

    def start_pods(self) -> object:
        """Make all Pods available, as a kubelet does."""

    def labels(self) -> dict[str, str]:
        """Return the labels of the Deployment web."""


@dataclass(frozen=True)
class Event:
    """What happens, and what exists afterwards, as ``seen`` returns it."""

    name: str
    happen: Callable[[Stage], object]
    go: str
    hook: str


def my_resource(image: str) -> Manifest:
    spec = {"image": image, "memory": "128Mi"}
    return {"apiVersion": "example.com/v1", "kind": "MyResource", "metadata": _named("web"), "spec": spec}


def deployment(name: str, image: str, **metadata: object) -> Manifest:
    """Return a Deployment that the hook did not create, with Pods of its own."""
    labels, container = {"app": name}, {"name": "main", "image": image, "resources": {"limits": {"memory": "128Mi"}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {**_named(name), **metadata}, "spec": spec}


def _named(name: str) -> dict[str, str]:
    return {"name": name, "namespace": "default"}


def _create(stage: Stage) -> None:
    stage.apply(my_resource("nginx:1.27"))


def _change_image(stage: Stage) -> None:
    stage.apply(my_resource("nginx:1.28"))


def _start_pods(stage: Stage) -> None:
    stage.start_pods()


def _delete_deployment(stage: Stage) -> None:
    stage.delete("Deployment", "web")


def _add_second(stage: Stage) -> None:
    stage.apply(deployment("other", "nginx:1.26", labels={"app": "web"}))


def _give_it_all_labels(stage: Stage) -> None:
    stage.apply(deployment("other", "nginx:1.26", labels=stage.labels()))


def _delete(stage: Stage) -> None:
    stage.delete("MyResource", "web")


LIFE = (
    Event("The MyResource is created", _create, "Building: web nginx:1.27", "Building: web nginx:1.27"),
    Event("The Pod becomes available", _start_pods, "Ready: web nginx:1.27", "Ready: web nginx:1.27"),
    Event("`spec.image` is changed", _change_image, "Ready: web nginx:1.27", "Building: web nginx:1.28"),
    Event("The new Pod becomes available", _start_pods, "Ready: web nginx:1.27", "Ready: web nginx:1.28"),
    Event("The Deployment is deleted", _delete_deployment, "Building: web nginx:1.28", "Building: web nginx:1.28"),
    Event("The Pod becomes available", _start_pods, "Ready: web nginx:1.28", "Ready: web nginx:1.28"),
    Event(
        "A second Deployment has the label `app: web`",
        _add_second,
        "Ready: web nginx:1.28, other nginx:1.26, error",
        "Ready: web nginx:1.28, other nginx:1.26",
    ),
    Event(
        "It gets all labels of the first",
        _give_it_all_labels,
        "Ready: web nginx:1.28, other nginx:1.26, error",
        "Ready: web nginx:1.28",
    ),
    Event("The MyResource is deleted", _delete, "other nginx:1.26", "nothing"),
)


def seen(parent: Manifest | None, deployments: list[Manifest], *, has_error: bool) -> str:
    """Return the state, the Deployments with their images, and ``error`` if a call failed: ``Ready: web nginx:1``."""
    images = {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0]["image"] for each in deployments
    }
    listed = [f"{name} {images[name]}" for name in sorted(images, reverse=True)]
    if parent is None:
        return ", ".join(listed) or "nothing"
    state = parent.get("status", {}).get("state", "")
    return f"{state}: {', '.join([*listed, *(['error'] if has_error else [])])}"
