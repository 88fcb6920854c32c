"""Notes on a real control plane: their CRD, their CompositeController, and a namespace with some of them."""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from metahook import crd
from metahook.envtest import Cluster, Refused
from metahook.envtest.control_plane import count_events
from metahook.simulator.hook import in_process
from metahook.simulator.objects import Json
from toolkit.hooks.notes import NOTE, NOTES, Interceptor, Spec, note
from toolkit.predicates import WATCHED
from toolkit.recording_server import Call, RecordingServer

FENCE = "fence"
"""A Note that every selector of the tests matches. Its sync shows that Metacontroller has handled earlier events."""

PATIENCE = 90.0
"""Seconds to wait for what should happen at once; long, because the machine is shared."""

QUIET = 0.5
"""Seconds without a call after which no further call is expected."""

TIMEOUT = "60s"
"""The longest call; long, because a test may hold one until all else has happened."""

_TOUCHED = "example.com/touched"
_NUMBERS = itertools.count(1)


class Status(msgspec.Struct):
    """What the hook tells."""

    word: str


def serve_notes(cluster: Cluster, folder: Path) -> None:
    """Create the CRD of Notes, and let their children be garbage collected; *folder* is for its file."""
    file = folder / "crd.json"
    file.write_text(json.dumps(crd(NOTE, Spec, Status)))
    cluster.install(NOTES, file)


def composite_controller(name: str, url: str, **parent: Any) -> Json:
    """Return the CompositeController of Notes, with the hooks at *url*; *parent* are more fields of parentResource."""
    children = [{"apiVersion": each.KIND.api_version, "resource": each.KIND.plural} for each in NOTES.children]
    hooks = {
        hook: {
            "version": "v2",
            "webhook": {"url": f"{url}/{hook}", "timeout": TIMEOUT, "responseUnMarshallMode": "strict"},
        }
        for hook in ("sync", "customize")
    }
    return {
        "apiVersion": "metacontroller.k8s.io/v1alpha1",
        "kind": "CompositeController",
        "metadata": {"name": name},
        "spec": {
            "generateSelector": True,
            "resyncPeriodSeconds": 600,
            "parentResource": {"apiVersion": NOTE.api_version, "resource": NOTE.plural, **parent},
            "childResources": [{**child, "updateStrategy": {"method": "InPlace"}} for child in children],
            "hooks": hooks,
        },
    }


@contextmanager
def running(cluster: Cluster, url: str, **parent: Any) -> Iterator[str]:
    """Let Metacontroller call the hooks at *url* until the block ends; yield the CompositeController's name."""
    client, name = cluster.client, f"notes-{next(_NUMBERS)}"
    client.create(composite_controller(name, url, **parent))
    try:
        yield name
    finally:
        before = count_events(client, name, "Stopped")
        client.delete("CompositeController", "", name)
        cluster.wait_for(lambda: count_events(client, name, "Stopped") > before, f"{name} stops", PATIENCE)


def reasons(cluster: Cluster, kind: str, name: str, namespace: str = "default") -> set[str]:
    """Return the reasons of the Events of an object; those of cluster-wide objects are in default."""
    selector = f"involvedObject.kind={kind},involvedObject.name={name}"
    return {item["reason"] for item in cluster.client.all("Event", namespace, fieldSelector=selector)}


class Notes:
    """A namespace with Notes; methods without a *name* are about the Note ``one``."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.name = f"notes-{next(_NUMBERS)}"
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}})
        self.hook = Interceptor(in_process(NOTES, lambda: datetime.fromtimestamp(time.time(), UTC)))
        self.server = RecordingServer(self.hook)
        self.controller = ""
        self._running, self._serving = ExitStack(), ExitStack()
        self._serving.enter_context(self.server)

    def start(self, **parent: Any) -> None:
        """Create the CompositeController, with these fields in parentResource, and the Note FENCE."""
        self.controller = self._running.enter_context(running(self.cluster, self.server.url, **parent))
        if self.find("Note", FENCE) is None:
            self.create(note(FENCE, labels=WATCHED))
        self.eventually(lambda: self.find("ConfigMap", FENCE) is not None)
        self.settle()

    def start_with(self, *names: str) -> None:
        """Start with ``ignoreStatusChanges``, create these Notes, and wait until nothing more happens."""
        self.start(ignoreStatusChanges=True)
        for name in names:
            self.create(note(name))
        self.eventually(lambda: all(self.word("Note", name) == "a" for name in names))
        self.settle()

    def stop(self) -> None:
        """Delete the CompositeController, and wait until Metacontroller has stopped it."""
        self._running.close()

    def close(self) -> None:
        """Stop the controller and delete the Notes, which the next one would sync; then delete the namespace."""
        self.stop()
        self._serving.close()
        for item in self.cluster.list("Note", self.name):
            with suppress(Refused):  # it is already deleted
                self.delete("Note", item["metadata"]["name"])
                self.edit("Note", {"metadata": {"finalizers": None}}, item["metadata"]["name"])
        self.eventually(lambda: not self.cluster.list("Note", self.name))
        self.cluster.delete("Namespace", self.name)

    # What a user does

    def create(self, item: Json) -> None:
        """Create an object."""
        self.cluster.client.create({**item, "metadata": {**item["metadata"], "namespace": self.name}})

    def edit(self, kind: str, change: Json, name: str = "one", *, part: str = "") -> None:
        """Change an object, or a *part* such as ``/status``, by a merge patch."""
        self.cluster.patch(kind, name, change, self.name, part=part)

    def change_word(self, word: str, name: str = "one") -> None:
        """Change the spec of a Note."""
        self.edit("Note", {"spec": {"word": word}}, name)

    def delete(self, kind: str, name: str = "one") -> None:
        """Delete an object."""
        self.cluster.delete(kind, name, self.name)

    # What there is

    def find(self, kind: str, name: str = "one") -> Json | None:
        """Return an object or None."""
        return self.cluster.get(kind, name, self.name)

    def get(self, kind: str, name: str = "one") -> Json:
        """Return an object."""
        found = self.find(kind, name)
        assert found, f"there is no {kind} {name}"
        return found

    def word(self, kind: str, name: str = "one") -> str | None:
        """Return the word in the ConfigMap, or in the status of the Note."""
        part = "data" if kind == "ConfigMap" else "status"
        found: str | None = (self.find(kind, name) or {}).get(part, {}).get("word")
        return found

    def calls(self, name: str = "one", hook: str = "sync") -> list[Call]:
        """Return the calls of *hook* for a Note."""
        wanted = (hook, self.name, name)
        return [call for call in list(self.server.calls) if (call.hook, call.namespace, call.name) == wanted]

    # What is expected

    def eventually(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds* returns True."""
        self.cluster.wait_for(holds, "what this test waits for", PATIENCE)

    def settle(self) -> None:
        """Wait until all events so far are handled: those of FENCE and its child come after them."""
        number = str(next(_NUMBERS))
        for kind in ("Note", "ConfigMap"):
            self.edit(kind, {"metadata": {"annotations": {_TOUCHED: number}}}, FENCE)
        self.eventually(lambda: any(_is_touched(call.request, number) for call in self.calls(FENCE)))
        self.wait_until_no_calls()

    def wait_until_no_calls(self) -> None:
        """Wait until no call arrives any more."""

        def still() -> bool:
            latest = max((call.until for call in list(self.server.calls)), default=0.0)
            return time.time() - max(latest, self.cluster.client.acted) > QUIET

        self.eventually(still)


def _is_touched(request: Json, number: str) -> bool:
    """Return whether the parent and its child in *request* have the annotation with *number*."""
    items = [request["parent"], *request["children"]["ConfigMap.v1"].values()]
    return len(items) == 2 and all(item["metadata"].get("annotations", {}).get(_TOUCHED) == number for item in items)
