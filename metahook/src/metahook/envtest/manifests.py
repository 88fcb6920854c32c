"""The objects in YAML files, and the hooks of a CompositeController at another address."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import yaml

from metahook.protocol import Manifest


def documents(*files: Path) -> list[Manifest]:
    """Return the objects in *files*, in order."""
    return [item for file in files for item in yaml.safe_load_all(file.read_text()) if item]


def of_kind(items: Iterable[Manifest], kind: str) -> list[Manifest]:
    """Return those of *items* that are of *kind*."""
    return [item for item in items if item["kind"] == kind]


def with_hooks_at(address: str, item: Manifest, scheme: str = "http") -> Manifest:
    """Return *item*, a CompositeController, with *address* (``127.0.0.1:8080``) as the host of all its hooks' URLs."""
    hooks = {
        name: {**hook, "webhook": _at(scheme, address, hook["webhook"])} for name, hook in item["spec"]["hooks"].items()
    }
    return {**item, "spec": {**item["spec"], "hooks": hooks}}


def _at(scheme: str, address: str, webhook: Manifest) -> Manifest:
    """Return *webhook* with a URL at *address*, also if it has a path and a Service."""
    url = urlsplit(webhook.get("url") or webhook["path"])
    kept = {name: value for name, value in webhook.items() if name not in {"path", "service"}}
    return {**kept, "url": urlunsplit((scheme, address, url.path, url.query, ""))}
