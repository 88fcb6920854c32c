"""Whether anything happens, the time at which something last did, and the longest queue."""

import threading
import time
from collections import Counter

from bench.scale.installation import Installation
from bench.scale.watch import Event

_INTERVAL = 0.5
"""Seconds between two looks at the metrics of Metacontroller: a look costs it some milliseconds of CPU."""

_OF_OTHERS = "deployment.kubernetes.io/revision"
"""An annotation that the Deployment controller sets."""


class Activity(threading.Thread):
    """Looks at the work of *installation*, and receives the events of its MyResources and Deployments."""

    def __init__(self, installation: Installation) -> None:
        super().__init__(name="activity", daemon=True)
        self._installation = installation
        self._known: dict[tuple[str, str], object] = {}
        self._stopping = threading.Event()
        self.work = installation.work()
        self.last = time.monotonic()
        """Time of the last change of an object, call, or item in the queue."""
        self.peak = 0
        """Length of the longest queue since it was reset."""
        self.changes: Counter[str] = Counter()
        """Numbers of changes of MyResources, and of the metadata or spec of Deployments."""
        self.related = 0
        """Events of Pods and Services, the kinds that rules select."""

    def run(self) -> None:
        """Look again and again."""
        while not self._stopping.wait(_INTERVAL):
            self.look()

    def look(self) -> None:
        """Look now."""
        work = self._installation.work()
        if work.depth or work != self.work:
            self.last = time.monotonic()
        self.work = work
        self.peak = max(self.peak, work.depth)

    def stop(self) -> None:
        """Stop to look."""
        self._stopping.set()
        if self.is_alive():
            self.join()

    def receive_myresource(self, event: Event) -> None:
        """Note that a MyResource changed."""
        self._note("MyResource", event)

    def receive_related(self, _: Event) -> None:
        """Count the event of a Pod or a Service."""
        self.related += 1

    def receive_deployment(self, event: Event) -> None:
        """Note that a Deployment changed; count it unless only its status did."""
        metadata = event.object["metadata"]
        annotations = {name: value for name, value in metadata.get("annotations", {}).items() if name != _OF_OTHERS}
        content = metadata.get("generation"), metadata.get("labels"), annotations, metadata.get("ownerReferences")
        key = metadata["namespace"], metadata["name"]
        if self._known.get(key) != content:
            self._known[key] = content
            self._note("Deployment", event)
        self.last = time.monotonic()

    def _note(self, kind: str, event: Event) -> None:
        self.last = time.monotonic()
        if event.type != "ADDED" or kind != "MyResource":  # its user creates a MyResource
            self.changes[kind] += 1
