"""The page with all fields of the spec, made from the CRD; the examples are in fields.yaml."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from app.api.crd import schema
from app.api.names import API_VERSION, KIND

Json = dict[str, Any]

EXAMPLES = Path(__file__).parent / "fields.yaml"
SPEC: Json = schema()["properties"]["spec"]
BEGIN = """\
# Fields of a MyResource

This page lists the fields of `spec`. In a cluster, `kubectl explain myresource.spec` prints the same descriptions.
(`make generate` makes the page from the CRD.) Only `image` is required. A field that is not set has the default that
is named here, or else the default of Kubernetes. A quantity is a number with a unit, such as `500m` or `64Mi`.
"Validation messages" are those of the API server for values that it rejects. [full.yaml](../examples/full.yaml) has
nearly all fields in one MyResource.

"""


def examples() -> dict[str, list[Json]]:
    """Return MyResources that use a field, by the field."""
    fragments: dict[str, list[Json]] = yaml.safe_load(EXAMPLES.read_text())
    return {field: [_my_resource(fragment) for fragment in found] for field, found in fragments.items()}


def _my_resource(fragment: Json) -> Json:
    spec = {"image": "nginx:1.27"} | fragment
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "web"}, "spec": spec}


def page() -> str:
    """Return the page."""
    fields, given = SPEC["properties"], examples()
    index = " · ".join(f"[{name}](#{name.lower()})" for name in fields)
    rules = "".join(f"- {text}\n" for text in (*_rules(SPEC), *_rules(schema())))
    sections = "".join(_section(name, node, given[name]) for name, node in fields.items())
    return f"{BEGIN}{index}\n\nRules between several fields, as the API server states them:\n\n{rules}{sections}"


def _section(name: str, node: Json, given: list[Json]) -> str:
    rows = "".join(
        f"| `{path}` | {_kind(inner)} | {_cell(inner)} |\n" for path, inner in below(node) if "properties" not in inner
    )
    table = f"| field | type | meaning |\n|---|---|---|\n{rows}\n" if rows else ""
    facts = "; ".join([_kind(node), *_bounds(node)])
    rules = "".join(f"- {text}\n" for text in _rules(node))
    messages = f"Validation messages:\n\n{rules}\n" if rules else ""
    shown = "".join(f"```yaml\n{yaml.safe_dump(item, sort_keys=False, width=110)}```\n" for item in given)
    return f"\n## {name}\n\n{node['description']}\n\n*{facts}*\n\n{messages}{table}{shown}"


def below(node: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every field under *node* with its path; the items of a list are ``[]``."""
    items = node.get("items", {})
    here = f"{path}[]" if items else path
    for name, inner in items.get("properties", {}).items() or node.get("properties", {}).items():
        yield f"{here}.{name}".lstrip("."), inner
        yield from below(inner, f"{here}.{name}".lstrip("."))


def _kind(node: Json) -> str:
    if node.get("x-kubernetes-int-or-string"):
        return "integer or string"
    if "enum" in node:
        return " or ".join(f"`{word}`" if word else '`""`' for word in node["enum"])
    if "items" in node:
        return f"list of {_kind(node['items'])}s"
    if "additionalProperties" in node:
        kind = _kind(node["additionalProperties"])
        return "map of quantities" if kind == "integer or string" else f"map of {kind}s"
    return str(node["type"])


def _bounds(node: Json) -> list[str]:
    """Return what the schema bounds, in words."""
    bounds = [f"default `{json.dumps(node['default'])}`"] if "default" in node else []
    for word, text in (("minimum", "at least"), ("maximum", "at most")):
        bounds += [f"{text} {node[word]}"] if word in node and node.get("type") == "integer" else []
    for word, things in (("maxItems", "items"), ("maxProperties", "entries"), ("maxLength", "characters")):
        bounds += [f"at most {node[word]} {things}"] if word in node and "enum" not in node else []
    return bounds


def _rules(node: Json) -> list[str]:
    return [rule["message"] for rule in node.get("x-kubernetes-validations", [])]


def _cell(node: Json) -> str:
    text = " ".join([node["description"], *(f"{bound[0].upper()}{bound[1:]}." for bound in _bounds(node))])
    rules = _rules(node)
    messages = f" Validation messages: {'; '.join(rules)}." if rules else ""
    return f"{text}{messages}".replace("|", "&#124;")
