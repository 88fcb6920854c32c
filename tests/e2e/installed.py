"""Installs ``metacontroller/``: the CRD, the role and its binding, the CompositeController."""

from pathlib import Path
from urllib.parse import urlsplit

import yaml

from charts.rendering import rendered
from metahook.envtest.client import Client
from metahook.envtest.cluster import documents, establish, with_hooks_at
from metahook.simulator.objects import Json
from tests.e2e import gateway
from tests.e2e.watched import CRD, values

ROOT = Path(__file__).parent.parent.parent


def role(*, secrets: bool = False) -> Json:
    """Return the role of Metacontroller: that of metacontroller/, plus the rights for the watched kinds."""
    item: Json = yaml.safe_load(rendered(values(secrets=secrets))["clusterrole-metacontroller.yaml"])
    return item


def install(client: Client, hook: str, *, secrets: bool) -> None:
    """Install the manifests with the hook at the URL *hook*; *secrets*: whether Metacontroller can read Secrets."""
    establish(client, [CRD, *gateway.crds(), *documents(ROOT / "crds/mygroup.example.com_myresources.yaml")])
    (binding,) = documents(ROOT / "metacontroller/clusterrolebinding-metacontroller.yaml")
    for item in (role(secrets=secrets), binding, controller(hook)):
        client.apply(item)


def controller(hook: str) -> Json:
    """Return the CompositeController with the URL *hook* instead of a Service name, as there is no DNS."""
    (item,) = documents(ROOT / "metacontroller/compositecontroller.yaml")
    url = urlsplit(hook)
    return with_hooks_at(url.netloc, item, url.scheme)
