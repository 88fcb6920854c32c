"""MyResources that are created one after the other, among others at rest, and Deployments that are edited by hand.

Watches of one namespace see when each step was done, in seconds of the monotonic clock.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.scale.activity import Event, Watch
from bench.scale.cluster import is_ready
from metahook.envtest.client import STRATEGIC, Client
from metahook.simulator.objects import Json
from tests.simulated.worlds import parent

NAMESPACE = "singles"
EDITED = "nginx:edited"
_PAUSE = 0.5
"""Seconds between two, in which the operator comes to rest."""
_PATIENCE = 120.0


@dataclass
class _Seen:
    """The Deployment of a MyResource, and when each of these was first seen."""

    deployment: Json = field(default_factory=dict)
    created: float = 0.0
    available: float = 0.0
    ready: float = 0.0
    reverted: float = 0.0


class Singles:
    """Creates and edits in a namespace of its own, and keeps for how many seconds each took."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._seen: dict[str, _Seen] = {}
        self._changed = threading.Condition()
        self._count = 0
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        self.watches = (
            Watch(client, "MyResource", self._receive_myresource, namespace=NAMESPACE),
            Watch(client, "Deployment", self._receive_deployment, namespace=NAMESPACE),
        )

    def create(self, number: int) -> tuple[list[float], list[float]]:
        """Create *number* MyResources; return the seconds to each Deployment, and from it being available to Ready."""
        to_deployment, to_ready = [], []
        for _ in range(number):
            self._count += 1
            name = f"single{self._count}"
            start = time.monotonic()
            self._client.create(parent(name, namespace=NAMESPACE))
            seen = self._wait(name, lambda seen: seen.ready and seen.available)
            to_deployment.append(seen.created - start)
            to_ready.append(seen.ready - seen.available)
            time.sleep(_PAUSE)
        return to_deployment, to_ready

    def edit(self, number: int) -> list[float]:
        """Edit the Deployments of the last *number* MyResources; return the seconds until each was as before."""
        return [self._edit(f"single{self._count - place}") for place in range(number)]

    def _edit(self, name: str) -> float:
        deployment = self._seen[name].deployment
        container = deployment["spec"]["template"]["spec"]["containers"][0]["name"]
        change = {"spec": {"template": {"spec": {"containers": [{"name": container, "image": EDITED}]}}}}
        start = time.monotonic()
        where = NAMESPACE, deployment["metadata"]["name"]
        self._client.change("Deployment", *where, change, how=STRATEGIC, manager="kubectl-edit")
        seconds = self._wait(name, lambda seen: seen.reverted).reverted - start
        time.sleep(_PAUSE)
        return seconds

    def _wait(self, name: str, until: Callable[[_Seen], float]) -> _Seen:
        with self._changed:
            if not self._changed.wait_for(lambda: name in self._seen and until(self._seen[name]), _PATIENCE):
                message = f"{name} is not as expected after {_PATIENCE:.0f} s: {self._seen.get(name)}"
                raise TimeoutError(message)
            return self._seen[name]

    def _receive_myresource(self, event: Event) -> None:
        now = time.monotonic()
        with self._changed:
            seen = self._seen.setdefault(event.object["metadata"]["name"], _Seen())
            if is_ready(event.object):
                seen.ready = seen.ready or now
            self._changed.notify_all()

    def _receive_deployment(self, event: Event) -> None:
        now = time.monotonic()
        item = event.object
        (owner,) = item["metadata"]["ownerReferences"]
        with self._changed:
            seen = self._seen.setdefault(owner["name"], _Seen())
            seen.created = seen.created or now
            if item.get("status", {}).get("availableReplicas"):
                seen.available = seen.available or now
            was, seen.deployment = seen.deployment, item
            if was and _image(was) == EDITED != _image(item):
                seen.reverted = now
            self._changed.notify_all()


def _image(deployment: Json) -> str:
    image: str = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    return image
