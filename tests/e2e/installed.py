"""Installs ``metacontroller/``: the CRD, the role and its binding, the CompositeController."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from charts.rendering import rendered
from metahook.envtest.client import Client
from metahook.envtest.discovery import UnknownKind
from metahook.simulator.objects import Json
from tests.e2e.record import Record
from tests.e2e.watched import CRD, values

ROOT = Path(__file__).parent.parent.parent
SERVICE = "http://myresource-operator.myresource-operator.svc"


def documents(file: Path) -> list[Json]:
    """Return the objects in *file*."""
    return list(yaml.safe_load_all(file.read_text()))


def role(*, secrets: bool = False) -> Json:
    """Return the role of Metacontroller: that of metacontroller/, plus the rights for the watched kinds."""
    item: Json = yaml.safe_load(rendered(values(secrets=secrets))["clusterrole-metacontroller.yaml"])
    return item


def install(client: Client, hook: str, *, secrets: bool) -> None:
    """Install the manifests with the hook at the URL *hook*; *secrets*: whether Metacontroller can read Secrets."""
    establish(client, [CRD, *documents(ROOT / "crds/mygroup.example.com_myresources.yaml")])
    (binding,) = documents(ROOT / "metacontroller/clusterrolebinding-metacontroller.yaml")
    for item in (role(secrets=secrets), binding, controller(hook)):
        client.apply(item)


def establish(client: Client, crds: list[Json]) -> None:
    """Create *crds*, and wait until the API server serves their kinds."""
    for item in crds:
        client.apply(item)
    names = {item["metadata"]["name"] for item in crds}
    nothing_to_see = Record()
    if not nothing_to_see.until(lambda: names <= set(_established(client)) and all(_served(client, crds)), 30):
        message = "the CRDs are not established"
        raise TimeoutError(message)


def _served(client: Client, crds: list[Json]) -> Iterator[bool]:
    """Yield whether discovery knows the kind of each of *crds*, which it learns a moment later."""
    for item in crds:
        try:
            client.discovery.served(f"{item['spec']['names']['kind']}.{item['spec']['group']}")
        except UnknownKind:
            yield False
        else:
            yield True


def _established(client: Client) -> Iterator[str]:
    for item in client.all("CustomResourceDefinition"):
        conditions = item.get("status", {}).get("conditions") or []
        if any(found["type"] == "Established" and found["status"] == "True" for found in conditions):
            yield item["metadata"]["name"]


def controller(hook: str) -> Json:
    """Return the CompositeController with the address *hook* instead of a Service name, as there is no DNS."""
    (item,) = documents(ROOT / "metacontroller/compositecontroller.yaml")
    for found in item["spec"]["hooks"].values():
        url: str = found["webhook"]["url"]
        found["webhook"]["url"] = url.replace(SERVICE, hook)
    return item
