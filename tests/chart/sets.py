"""The value sets of the chart tests: a file in ``values/`` for each, and in ``golden/`` what it changes."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import helm_python as helm
import yaml

from charts.rendering import CHART, rendered
from charts.values_table import documented, leaves

Json = dict[str, Any]

HERE = Path(__file__).parent
SETS = sorted(file.stem for file in (HERE / "values").glob("*.yaml"))
TEXT = (CHART / "values.yaml").read_text()
DEFAULTS: Json = yaml.safe_load(TEXT)
VALUES = leaves(DEFAULTS, documented(TEXT))
"""The paths of all values."""
RELEASE = "myresource-operator"


def values(name: str) -> Json:
    """Return the values of the set *name*."""
    (found,) = deepcopy(_documents((HERE / f"values/{name}.yaml").read_text())) or [{}]
    return found


def nested(values: Json) -> Json:
    """Return *values*, which are by path, as Helm takes them."""
    found: Json = {}
    for path, value in values.items():
        *groups, name = path.split(".")
        inner = found
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[name] = value
    return found


def texts(given: Json | None = None, *, release: str = RELEASE) -> dict[str, str]:
    """Return the manifests of an installation with the values *given*, by template."""
    made = _rendered(json.dumps(given or {}), release)
    return {path: text for path, text in made.items() if path.endswith(".yaml")}


def notes(given: Json | None = None, *, release: str = RELEASE) -> str:
    """Return the notes of an installation with the values *given*."""
    return _rendered(json.dumps(given or {}), release)["NOTES.txt"]


@cache
def _rendered(given: str, release: str) -> dict[str, str]:
    """Return the texts of an installation with the values *given*, as JSON. Callers must not change them."""
    return rendered(json.loads(given), release=release, namespace="operators")


def objects(given: Json | None = None, *, release: str = RELEASE) -> list[Json]:
    """Return the objects of an installation with the values *given*. The CRD is large: callers must not change it."""
    made = texts(given, release=release)
    parsed = [_documents(text) if path == "crd.yaml" else deepcopy(_documents(text)) for path, text in made.items()]
    return [item for items in parsed for item in items]


@cache
def _documents(text: str) -> list[Json]:
    return [item for item in yaml.load_all(text, yaml.CSafeLoader) if item]


def refusal(given: Json, release: str = "r") -> str:
    """Return the error message for the values *given*, or "" if the chart accepts them."""
    try:
        rendered(given, release=release)
    except (helm.HelmRenderError, helm.HelmValuesError) as error:
        return str(error)
    return ""


def the(kind: str, given: Json | None = None, *, release: str = RELEASE) -> Json:
    """Return the only object of *kind*, without those of ``helm test``."""
    made = [item for item in objects(given, release=release) if item["kind"] == kind]
    (found,) = [item for item in made if "helm.sh/hook" not in item["metadata"].get("annotations", {})]
    return found
