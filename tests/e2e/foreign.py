"""A hook that is not the operator's, behind the Metacontroller of the tests: its server, its kind, its CompositeController."""

import itertools
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from metahook.simulator.hook import Hook
from metahook.simulator.objects import Json
from tests.e2e.client import Client
from tests.e2e.control_plane import METACONTROLLER
from tests.e2e.installed import establish
from tests.notes import NOTE, NOTES

_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_CRD: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{NOTE.plural}.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": NOTE.kind, "plural": NOTE.plural},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _ANYTHING, "status": _ANYTHING}}},
            }
        ],
    },
}
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

    @property
    def name(self) -> str:
        """The name of the parent."""
        found: str = self.request["parent"]["metadata"]["name"]
        return found


class HookServer(ThreadingHTTPServer):
    """Serves *hook* until the block ends, and keeps all calls in the order of their answers."""

    daemon_threads = True

    def __init__(self, hook: Hook) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hook = hook
        self.calls: list[Call] = []

    @property
    def url(self) -> str:
        """The URL of the hooks."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "HookServer":
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
    server: HookServer

    def do_POST(self) -> None:
        at, hook = time.time(), self.path.strip("/")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.hook(hook, body)
        self.server.calls.append(Call(hook, json.loads(body), at, time.time(), reply.status))
        self.send_response(reply.status)
        if reply.retry_after is not None:
            self.send_header("Retry-After", f"{reply.retry_after:g}")
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def allow(client: Client, namespace: str) -> None:
    """Let Metacontroller watch Notes, and write their status and their children in *namespace* alone."""
    establish(client, [_CRD])
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
            "webhook": {"url": f"{url}/{hook}", "timeout": "10s", "responseUnMarshallMode": "strict"},
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
        client.delete("CompositeController", "", name)
        _wait_until_stopped(client, name)


def _wait_until_stopped(client: Client, name: str) -> None:
    end = time.monotonic() + 60
    while "Stopped" not in reasons(client, name):
        if time.monotonic() > end:
            message = f"Metacontroller does not stop {name}"
            raise TimeoutError(message)
        time.sleep(0.05)


def reasons(client: Client, name: str, namespace: str = "default") -> list[str]:
    """Return the reasons of the Events of the object *name*, in order. The Events of cluster-wide objects are in default."""
    found = [item for item in client.all("Event", namespace) if item["involvedObject"]["name"] == name]
    return [item["reason"] for item in sorted(found, key=lambda item: int(item["metadata"]["resourceVersion"]))]
