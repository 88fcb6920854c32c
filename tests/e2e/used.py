"""The objects that a MyResource uses and does not own: a ConfigMap, a Secret, and a MyBackup of another operator."""

from metahook.envtest.client import Client
from metahook.simulator.objects import Json
from tests.e2e.namespace import PORT
from tests.e2e.watched import BACKUPS, backup, told

BACKUP = "nightly"
SETTINGS, TOKEN = "settings", "token"
USED = "GREETING"
"""The only key of the ConfigMap and of the Secret that the MyResource uses."""

PORTS: Json = PORT
CONFIG: Json = {"env": [{"name": USED, "valueFrom": {"configMapKeyRef": {"name": SETTINGS, "key": USED}}}]}
SECRET: Json = {"env": [{"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": TOKEN, "key": USED}}}]}
SECRETS = ("c3dvcmRmaXNo", "cmFpbmJvdyB0cm91dA==")
"""Successive values of the used key of the Secret, in Base64."""

DEPENDENCY: Json = {"dependencies": [{"apiVersion": BACKUPS.api_version, "resource": BACKUPS.plural, "name": BACKUP}]}
ALL: Json = {**PORTS, "env": [*CONFIG["env"], *SECRET["env"]], **DEPENDENCY}
"""The spec of a MyResource that watches every kind that it can."""


def put_all(client: Client, namespace: str) -> None:
    """Create the objects that a MyResource with the spec ALL uses."""
    for kind, name, value in (("ConfigMap", SETTINGS, "hello"), ("Secret", TOKEN, SECRETS[0])):
        metadata = {"name": name, "namespace": namespace}
        client.create({"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": {USED: value, "OTHER": "MQ=="}})
    client.create(backup(BACKUP, namespace))
    set_ready(client, namespace)


def set_ready(client: Client, namespace: str, **more: object) -> None:
    """Set the condition Ready of the MyBackup, as its operator does, with *more* fields."""
    client.change("MyBackup", namespace, BACKUP, told("Ready", "True", **more), part="/status")
