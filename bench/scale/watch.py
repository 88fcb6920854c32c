"""A watch of all objects of a kind, with little CPU time: it shares the machine with what is measured."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import msgspec

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
        self, client: Client, kind: str, handle: Callable[[Event], None], accept: str = "application/json"
    ) -> None:
        super().__init__(name=f"watch {kind}", daemon=True)
        self._client = client
        self._path = client.path(kind)
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
