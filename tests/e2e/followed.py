"""What is followed besides children: somebody else's kind, MyBackup, with the hook's options and the role for it."""

import yaml

from app.simulator.objects import Json
from charts.rendering import rendered
from tests.e2e.client import Client
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import PORT
from tests.e2e.record import Record

OPTIONS = ("--dependency-kind=example.com/v1/mybackups/MyBackup",)
_KIND = {"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}
_VALUES = {"metacontroller": {"check": False}, "follow": {"dependencies": [_KIND]}}
_NAMES = {"plural": "mybackups", "singular": "mybackup", "kind": "MyBackup", "listKind": "MyBackupList"}
_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "mybackups.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": _NAMES,
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}

BACKUP = "nightly"
SETTINGS = "settings"
USED = "GREETING"
"""The key that is used; all others of the ConfigMap are not."""

PORTS: Json = PORT
CONFIG: Json = {
    "env": [{"name": USED, "valueFrom": {"configMapKeyRef": {"name": SETTINGS, "key": USED}}}],
}
DEPENDENCY: Json = {"dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "name": BACKUP}]}
ALL: Json = {**PORTS, **CONFIG, **DEPENDENCY}
"""The spec of a MyResource that follows all there is to follow."""


def allow(cluster: Cluster) -> None:
    """Let *cluster* serve MyBackups, and let Metacontroller read them: as the chart does for its values."""
    cluster.client.apply(_CRD)
    if not Record().until(lambda: _served(cluster.client), 30):
        message = "MyBackups are not served"
        raise TimeoutError(message)
    cluster.client.apply(yaml.safe_load(rendered(_VALUES)["clusterrole-metacontroller.yaml"]))


def _served(client: Client) -> bool:
    return client.http.get("/apis/example.com/v1/mybackups").is_success


def settings(namespace: str) -> Json:
    """Return the ConfigMap that is used."""
    metadata = {"name": SETTINGS, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {USED: "hello", "OTHER": "1"}}


def backup(namespace: str) -> Json:
    """Return the MyBackup that is waited for, without its status."""
    metadata = {"name": BACKUP, "namespace": namespace}
    return {"apiVersion": "example.com/v1", "kind": "MyBackup", "metadata": metadata, "spec": {}}


def is_ready(client: Client, namespace: str, *, ready: bool = True, number: int = 0) -> None:
    """Set the condition of the MyBackup; *number* is something else in its status."""
    status = {"conditions": [{"type": "Ready", "status": str(ready)}], "number": number}
    client.change("MyBackup", namespace, BACKUP, {"status": status}, part="/status")


def put_all(client: Client, namespace: str) -> None:
    """Make all that a MyResource with the spec ALL needs."""
    client.create(settings(namespace))
    client.create(backup(namespace))
    is_ready(client, namespace)
