"""What a MyResource uses that is not its own: a ConfigMap, and a MyBackup of somebody else."""

from app.simulator.objects import Json
from tests.e2e.client import Client
from tests.e2e.followed import BACKUPS, backup, told
from tests.e2e.namespace import PORT

BACKUP = "nightly"
SETTINGS = "settings"
USED = "GREETING"
"""The key that is used; all others of the ConfigMap are not."""

PORTS: Json = PORT
CONFIG: Json = {
    "env": [{"name": USED, "valueFrom": {"configMapKeyRef": {"name": SETTINGS, "key": USED}}}],
}
DEPENDENCY: Json = {"dependencies": [{"apiVersion": BACKUPS.api_version, "resource": BACKUPS.resource, "name": BACKUP}]}
ALL: Json = {**PORTS, **CONFIG, **DEPENDENCY}
"""The spec of a MyResource that follows all there is to follow."""


def put_all(client: Client, namespace: str) -> None:
    """Make all that a MyResource with the spec ALL uses."""
    metadata = {"name": SETTINGS, "namespace": namespace}
    data = {USED: "hello", "OTHER": "1"}
    client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    client.create(backup(BACKUP, namespace))
    is_ready(client, namespace)


def is_ready(client: Client, namespace: str, **more: object) -> None:
    """Let the operator of the MyBackup say that it is ready, and *more* in the same condition."""
    client.change("MyBackup", namespace, BACKUP, told("Ready", "True", **more), part="/status")
