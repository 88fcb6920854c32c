"""Whether anything happens, the time at which something last did, and the longest queue.

Watches see it with little CPU time: they share the machine with what is measured.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import msgspec

from bench.scale.work import Work
from metahook.envtest.client import Client

METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class Event(msgspec.Struct):
    """An event of the API server's watch: ADDED, MODIFIED, DELETED or ERROR."""

    type: str
    object: dict[str, Any]


_decode = msgspec.json.Decoder(Event).decode


class Watch(threading.Thread):
    """Calls *handle* for each version of an object of *kind*, until the API server is stopped for good."""

    def __init__(
        self,
        client: Client,
        kind: str,
        handle: Callable[[Event], None],
        accept: str = "application/json",
        namespace: str = "",
    ) -> None:
        super().__init__(name=f"watch {kind}", daemon=True)
        self._client = client
        self._path = client.path(kind, namespace)
        self._accept = accept
        self._handle = handle
        self._version = ""
        self.stopping = threading.Event()

    def run(self) -> None:
        """Watch; repeat from the last version when the API server ends the watch."""
        while not self.stopping.is_set():
            try:
                for event in self._events():
                    self._receive(event)
            except httpx.HTTPError:
                self.stopping.wait(0.2)

    def _receive(self, event: Event) -> None:
        if event.type == "ERROR":  # the version is too old: start again with all objects
            self._version = ""
            return
        self._version = event.object["metadata"]["resourceVersion"]
        self._handle(event)

    def _events(self) -> Iterator[Event]:
        query = {"watch": "1", "resourceVersion": self._version}
        timeout = httpx.Timeout(30, read=None)
        headers = {"Accept": self._accept}
        http = self._client.http
        with http.stream("GET", self._path, params=query, headers=headers, timeout=timeout) as response:
            if response.status_code == httpx.codes.GONE:
                self._version = ""  # it is too old: start again with all objects
            response.raise_for_status()
            rest = b""
            for chunk in response.iter_raw():
                *lines, rest = (rest + chunk).split(b"\n")
                yield from map(_decode, lines)


_INTERVAL = 0.5
"""Seconds between two looks at the metrics of Metacontroller: a look costs it some milliseconds of CPU."""

_OF_OTHERS = "deployment.kubernetes.io/revision"
"""An annotation that the Deployment controller sets."""


class Activity(threading.Thread):
    """Looks at the work of an operator, and receives the events of its MyResources and Deployments."""

    def __init__(self) -> None:
        super().__init__(name="activity", daemon=True)
        self._work: Callable[[], Work] = Work
        self._known: dict[tuple[str, str], object] = {}
        self._stopping = threading.Event()
        self.work = Work()
        self.last = time.monotonic()
        """Time of the last change of an object, call, or item in the queue."""
        self.peak = 0
        """Length of the longest queue since it was reset."""
        self.changes: Counter[str] = Counter()
        """Numbers of changes of MyResources, and of the metadata or spec of Deployments."""
        self.related = 0
        """Events of Pods and Services, the kinds that rules select."""

    def observe(self, work: Callable[[], Work]) -> None:
        """Look from now on at what *work* returns."""
        self._work = work
        self.look()

    def run(self) -> None:
        """Look again and again."""
        while not self._stopping.wait(_INTERVAL):
            self.look()

    def look(self) -> None:
        """Look now."""
        work = self._work()
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
