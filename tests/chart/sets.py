"""The value sets of the chart tests: a file in ``values/`` for each, and the rendered manifests in ``golden/``."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from charts.rendering import rendered

Json = dict[str, Any]

HERE = Path(__file__).parent
SETS = sorted(file.stem for file in (HERE / "values").glob("*.yaml"))
RELEASE, NAMESPACE = "myresource-operator", "operators"


def values(name: str) -> Json:
    """Return the values of the set *name*."""
    found: Json = yaml.safe_load((HERE / f"values/{name}.yaml").read_text())
    return found


def texts(given: Json | None = None, *, release: str = RELEASE, namespace: str = NAMESPACE) -> dict[str, str]:
    """Return the manifests of an installation with the values *given*, by template."""
    made = rendered(given, release=release, namespace=namespace)
    return {path: text for path, text in made.items() if path.endswith(".yaml")}


def objects(given: Json | None = None, *, release: str = RELEASE, namespace: str = NAMESPACE) -> list[Json]:
    """Return the objects of an installation with the values *given*."""
    made = texts(given, release=release, namespace=namespace)
    return [_crd(text) if path == "crd.yaml" else yaml.safe_load(text) for path, text in made.items()]


@cache
def _crd(text: str) -> Json:
    """Return the CRD, cached because it is large. Callers must not change it."""
    crd: Json = yaml.load(text, yaml.CSafeLoader)
    return crd


def the(kind: str, given: Json | None = None, *, release: str = RELEASE, namespace: str = NAMESPACE) -> Json:
    """Return the only object of *kind*, without those of ``helm test``."""
    made = objects(given, release=release, namespace=namespace)
    (found,) = [item for item in made if item["kind"] == kind and "helm.sh/hook" not in annotations(item)]
    return found


def annotations(item: Json) -> Json:
    """Return the annotations of *item*."""
    found: Json = item["metadata"].get("annotations", {})
    return found
