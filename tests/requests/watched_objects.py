"""An operator that watches all it can, and all objects that generated specs name."""

from typing import Any

from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.protocol.request_builder import Grouped
from metahook.simulator.metacontroller.settings import SERVED
from tests.strategies.primitives import CONFIG_KEYS, OBJECT_NAMES

Json = dict[str, Any]

BACKUP = Kind("example.com/v1", "MyBackup", "mybackups")
WATCH = Watch(secrets=True, dependencies=(BACKUP,))
WATCHING = controller(WATCH)
WITH_BACKUPS = (*SERVED, BACKUP)
"""Kinds that a cluster with MyBackups serves."""


def made(api_version: str, kind: str, name: str, **fields: Any) -> Json:
    """Return an object of the namespace default."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "default"}, **fields}


def config_map(name: str, **data: str) -> Json:
    """Return a ConfigMap."""
    return made("v1", "ConfigMap", name, data=data)


def secret(name: str, **data: str) -> Json:
    """Return a Secret; its values are in Base64."""
    return made("v1", "Secret", name, data=data)


def backup(name: str, ready: str = "True") -> Json:
    """Return a MyBackup whose condition Ready is *ready*."""
    status = {"conditions": [{"type": "Ready", "status": ready}]}
    return made(BACKUP.api_version, BACKUP.kind, name, spec={}, status=status)


_DATA = dict.fromkeys(CONFIG_KEYS, "dGVzdA==")

ALL = [
    *(config_map(name, **_DATA) for name in OBJECT_NAMES),
    *(secret(name, **_DATA) for name in OBJECT_NAMES),
    *(backup(name) for name in OBJECT_NAMES),
]
"""All that generated specs name."""


def related(*objects: Json) -> Grouped:
    """Return *objects* as Metacontroller sends them when all watched kinds were asked for."""
    groups: Grouped = {"ConfigMap.v1": {}, "Secret.v1": {}, BACKUP.group_key: {}}
    for item in objects:
        groups[f"{item['kind']}.{item['apiVersion']}"][f"default/{item['metadata']['name']}"] = item
    return groups
