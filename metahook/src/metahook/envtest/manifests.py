"""The objects in YAML files: CRDs, applied and awaited, and the hooks of a CompositeController at another address."""

import time
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import yaml

from metahook.envtest.client import Client, Refused, UnknownKind
from metahook.protocol.objects import Manifest


def documents(*files: Path) -> list[Manifest]:
    """Return the objects in *files*, in order."""
    return [item for file in files for item in yaml.safe_load_all(file.read_text()) if item]


def of_kind(items: Iterable[Manifest], kind: str) -> list[Manifest]:
    """Return those of *items* that are of *kind*."""
    return [item for item in items if item["kind"] == kind]


def with_hooks_at(address: str, item: Manifest, scheme: str = "http") -> Manifest:
    """Return the controller *item* with *address* (``127.0.0.1:8080``) as the host of all its hooks' URLs."""
    hooks = {
        name: {**hook, "webhook": _at(scheme, address, hook["webhook"])} for name, hook in item["spec"]["hooks"].items()
    }
    return {**item, "spec": {**item["spec"], "hooks": hooks}}


def _at(scheme: str, address: str, webhook: Manifest) -> Manifest:
    """Return *webhook* with a URL at *address*, also if it has a path and a Service."""
    url = urlsplit(webhook.get("url") or webhook["path"])
    kept = {name: value for name, value in webhook.items() if name not in {"path", "service"}}
    return {**kept, "url": urlunsplit((scheme, address, url.path, url.query, ""))}


PATIENCE = 60.0
"""Seconds until the API server serves the kind of a CRD; long, because a machine that runs tests may be busy."""


def establish(client: Client, crds: Sequence[Manifest]) -> None:
    """Apply *crds*, and wait until the API server serves their kinds; raise TimeoutError."""
    for item in crds:
        client.apply(item)
    end = time.monotonic() + PATIENCE
    for item in crds:
        kind = f"{item['spec']['names']['kind']}.{item['spec']['group']}"
        while not _is_served(client, kind):
            if time.monotonic() > end:
                message = f"the API server does not serve {kind} within {PATIENCE:.0f} s"
                raise TimeoutError(message)
            time.sleep(0.1)


def _is_served(client: Client, kind: str) -> bool:
    """Return whether objects of *kind* can be listed, which is possible a moment after discovery knows the kind."""
    try:
        client.all(kind)
    except UnknownKind:
        return False
    except Refused as refused:
        if refused.status == HTTPStatus.NOT_FOUND:
            return False
        raise
    return True
