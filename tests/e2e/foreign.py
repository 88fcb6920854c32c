"""A hook that is not the operator's, behind Metacontroller: its server, its kind and its CompositeController."""

import itertools
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from metahook.envtest.client import Client, Refused
from metahook.envtest.manifests import establish
from metahook.envtest.metacontroller import count_events
from metahook.simulator.hook import Hook, in_process
from metahook.simulator.objects import Json
from tests.e2e.audit import Done
from tests.e2e.cluster import Cluster
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.definition import definition
from tests.e2e.namespace import PATIENCE, Place
from tests.e2e.record import Record
from toolkit.hooks.notes import NOTE, NOTES, Interceptor, note
from toolkit.predicates import WATCHED

_CRD = definition(NOTE)
FENCE = "fence"
"""A Note that every selector of the tests matches. Its sync shows that Metacontroller has handled earlier events."""

QUIET = 0.5
"""Seconds without a call after which no further call is expected."""

TIMEOUT = "60s"
"""The longest call; long, because a test may hold one until all else has happened."""

_TOUCHED = "example.com/touched"
_RBAC = "rbac.authorization.k8s.io"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Call:
    """A request of Metacontroller to the hook; *at* is when it arrived, *until* when it was answered."""

    hook: str
    request: Json
    at: float
    until: float
    status: int
    answer: str

    @property
    def name(self) -> str:
        """The name of the parent."""
        found: str = self.request["parent"]["metadata"]["name"]
        return found

    @property
    def namespace(self) -> str:
        """The namespace of the parent."""
        found: str = self.request["parent"]["metadata"]["namespace"]
        return found


class RecordingServer(ThreadingHTTPServer):
    """Serves *hook* until the block ends, and keeps all calls in the order of their answers.

    It is not :class:`metahook.envtest.hook_server.hook_server`, because tests hold calls, each in a thread, and respond
    with what the toolkit's service never sends.
    """

    daemon_threads = True

    def __init__(self, hook: Hook) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hook = hook
        self.calls: list[Call] = []

    @property
    def url(self) -> str:
        """The URL of the hooks."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, name="foreign hook", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def of(self, name: str, hook: str = "sync") -> list[Call]:
        """Return the calls of *hook* for the parent *name*."""
        return [call for call in list(self.calls) if (call.hook, call.name) == (hook, name)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingServer

    def do_POST(self) -> None:
        at, hook = time.time(), self.path.strip("/")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.hook(hook, body)
        self.server.calls.append(Call(hook, json.loads(body), at, time.time(), reply.status, reply.body.decode()))
        self.send_response(reply.status)
        if reply.retry_after is not None:
            self.send_header("Retry-After", f"{reply.retry_after:g}")
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def serve_notes(cluster: Cluster) -> None:
    """Create the CRD of Notes, if there is none, and let their children be garbage collected."""
    if cluster.client.get("CustomResourceDefinition", "", _CRD["metadata"]["name"]) is None:
        establish(cluster.client, [_CRD])
        # The garbage collector looks for new kinds when it starts, and then every half minute.
        cluster.control_plane.controllers.restart()


def allow(client: Client, namespace: str) -> None:
    """Let Metacontroller watch Notes, and write their status and their children in *namespace* alone."""
    name, subject = "notes", {"kind": "User", "apiGroup": _RBAC, "name": METACONTROLLER}
    kinds = [
        {"apiGroups": ["example.com"], "resources": ["notes"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]},
    ]
    writes = [
        {"apiGroups": ["example.com"], "resources": ["notes/status"], "verbs": ["update"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "update", "patch", "delete"]},
    ]
    for scope, where, rules in (("Cluster", {}, kinds), ("", {"namespace": namespace}, writes)):
        role: Json = {"apiVersion": f"{_RBAC}/v1", "kind": f"{scope}Role", "metadata": {"name": name, **where}}
        client.apply({**role, "rules": rules})
        reference = {"apiGroup": _RBAC, "kind": f"{scope}Role", "name": name}
        client.apply({**role, "kind": f"{scope}RoleBinding", "roleRef": reference, "subjects": [subject]})


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
def running(client: Client, url: str, **parent: Any) -> Iterator[str]:
    """Let Metacontroller call the hooks at *url* until the block ends; yield the CompositeController's name."""
    name = f"notes-{next(_NUMBERS)}"
    client.create(composite_controller(name, url, **parent))
    try:
        yield name
    finally:
        before = count_events(client, name, "Stopped")
        client.delete("CompositeController", "", name)
        nothing_to_see = Record()
        if not nothing_to_see.until(lambda: count_events(client, name, "Stopped") > before, PATIENCE):
            message = f"Metacontroller does not stop {name}"
            raise TimeoutError(message)


def reasons(client: Client, kind: str, name: str, namespace: str = "default") -> set[str]:
    """Return the reasons of the Events of an object; those of cluster-wide objects are in default."""
    selector = f"involvedObject.kind={kind},involvedObject.name={name}"
    return {item["reason"] for item in client.all("Event", namespace, fieldSelector=selector)}


class Foreign(Place):
    """A namespace with Notes; methods without a *name* are about the Note ``one``."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        super().__init__(cluster, name)
        self._audit = cluster.audit
        serve_notes(cluster)
        allow(self.client, name)
        self.hook = Interceptor(in_process(NOTES, lambda: datetime.fromtimestamp(time.time(), UTC)))
        self.server = RecordingServer(self.hook)
        self.controller = ""
        self._running, self._serving = ExitStack(), ExitStack()
        self._serving.enter_context(self.server)

    def start(self, **parent: Any) -> None:
        """Create the CompositeController, with these fields in parentResource, and the Note FENCE."""
        self.controller = self._running.enter_context(running(self.client, self.server.url, **parent))
        if self.find("Note", FENCE) is None:
            self.put(note(FENCE, labels=WATCHED))
        self.eventually(lambda: self.find("ConfigMap", FENCE) is not None)
        self.settle()

    def start_with(self, *names: str) -> None:
        """Start with ``ignoreStatusChanges``, create these Notes, and wait until nothing more happens."""
        self.start(ignoreStatusChanges=True)
        for name in names:
            self.put(note(name))
        self.eventually(lambda: all(self.word("Note", name) == "a" for name in names))
        self.settle()

    def stop(self) -> None:
        """Delete the CompositeController, and wait until Metacontroller has stopped it."""
        self._running.close()

    def close(self) -> None:
        """Stop the controller and delete the Notes, which the next one would sync; then delete the namespace."""
        self.stop()
        self._serving.close()
        for item in self.client.all("Note", self.name):
            with suppress(Refused):  # it is already deleted
                self.delete("Note", item["metadata"]["name"])
                self.edit("Note", {"metadata": {"finalizers": None}}, item["metadata"]["name"])
        self.eventually(lambda: not self.client.all("Note", self.name))
        super().close()

    def calls(self, name: str = "one", hook: str = "sync") -> list[Call]:
        """Return the calls of *hook* for a Note."""
        return [call for call in self.server.of(name, hook) if call.namespace == self.name]

    def since(self) -> Done:
        """Return an object that collects the requests of Metacontroller from now on."""
        return Done(self._audit, self.name)

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
            return time.time() - max(latest, self.client.acted) > QUIET

        self.eventually(still)

    def change_word(self, word: str, name: str = "one") -> None:
        """Change the spec of a Note."""
        self.edit("Note", {"spec": {"word": word}}, name)

    def word(self, kind: str, name: str = "one") -> str | None:
        """Return the word in the ConfigMap, or in the status of the Note."""
        part = "data" if kind == "ConfigMap" else "status"
        found: str | None = (self.find(kind, name) or {}).get(part, {}).get("word")
        return found


def _is_touched(request: Json, number: str) -> bool:
    """Return whether the parent and its child in *request* have the annotation with *number*."""
    items = [request["parent"], *request["children"]["ConfigMap.v1"].values()]
    return len(items) == 2 and all(item["metadata"].get("annotations", {}).get(_TOUCHED) == number for item in items)
