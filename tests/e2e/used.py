"""What a MyResource uses that is not its own: a ConfigMap, a Secret, and a MyBackup of somebody else."""

from metahook.simulator.objects import Json
from tests.e2e.client import Client
from tests.e2e.namespace import PORT
from tests.e2e.watched import BACKUPS, backup, told

BACKUP = "nightly"
SETTINGS, TOKEN = "settings", "token"
USED = "GREETING"
"""The key that is used; all others of the ConfigMap and of the Secret are not."""

PORTS: Json = PORT
CONFIG: Json = {"env": [{"name": USED, "valueFrom": {"configMapKeyRef": {"name": SETTINGS, "key": USED}}}]}
SECRET: Json = {"env": [{"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": TOKEN, "key": USED}}}]}
SECRETS = ("c3dvcmRmaXNo", "dHJvdXQ=")
"""Values of the key of the Secret that is used, one after the other, in Base64."""

DEPENDENCY: Json = {"dependencies": [{"apiVersion": BACKUPS.api_version, "resource": BACKUPS.plural, "name": BACKUP}]}
ALL: Json = {**PORTS, "env": [*CONFIG["env"], *SECRET["env"]], **DEPENDENCY}
"""The spec of a MyResource that uses all watched kinds."""


def put_all(client: Client, namespace: str) -> None:
    """Make all that a MyResource with the spec ALL uses."""
    for kind, name, value in (("ConfigMap", SETTINGS, "hello"), ("Secret", TOKEN, SECRETS[0])):
        metadata = {"name": name, "namespace": namespace}
        client.create({"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": {USED: value, "OTHER": "MQ=="}})
    client.create(backup(BACKUP, namespace))
    is_ready(client, namespace)


def is_ready(client: Client, namespace: str, **more: object) -> None:
    """Let the operator of the MyBackup say that it is ready, and *more* in the same condition."""
    client.change("MyBackup", namespace, BACKUP, told("Ready", "True", **more), part="/status")
