"""The pages with all fields of the spec, by group, made from the CRD; the examples are in fields.yaml."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from app.api.generated_schema import schema
from app.api.model import Copied, Docs
from app.api.names import API_VERSION, KIND
from app.api.spec import MyResourceSpec

Json = dict[str, Any]

EXAMPLES = Path(__file__).parent / "fields.yaml"
FULL = Path(__file__).parent.parent / "examples/full.yaml"
SPEC: Json = schema()["properties"]["spec"]
BEGIN = """\
# Fields of a MyResource

For authors of MyResources. This page lists the fields of `spec`, and links to each of them. `kubectl explain
myresource.spec` prints the same descriptions.

- Only `image` is required. Unset fields take the default of their description, or else the default of Kubernetes.
- A quantity is a number with a unit, such as `500m` or `64Mi`.
- The lists under a field are the messages with which the API server rejects a value.
- The examples are parts of a `spec`. [full.yaml](../../examples/full.yaml) is a MyResource with nearly all fields.
"""


PAGES = {
    "containers": "Containers",
    "security": "Security and volumes",
    "network": "Network",
    "scaling": "Number of Pods",
    "rollouts": "Rollouts",
    "placement": "Nodes and metadata",
}
"""The titles of the pages by their names, in the order of the index."""

PAGE = {
    str(field.alias): mark.docs
    for field in MyResourceSpec.model_fields.values()
    for mark in field.metadata
    if isinstance(mark, Docs | Copied)
}
"""The page of each field of the spec, as its model says."""

_SHORT = 120
"""Characters of a description that is whole in the index."""


def fragments() -> dict[str, list[Json]]:
    """Return parts of a spec that use a field, by the field; without one of its own, as the full example does."""
    given: dict[str, list[Json]] = yaml.safe_load(EXAMPLES.read_text())
    full: Json = yaml.safe_load(FULL.read_text())["spec"]
    names = list(given)
    for before, name in pairwise(["", *full]):
        if name not in given:
            names.insert(names.index(before) + 1 if before else 0, name)
    return {name: given[name] if name in given else [{name: full[name]}] for name in names}


def examples() -> dict[str, list[Json]]:
    """Return MyResources that use a field, by the field."""
    return {field: [_my_resource(fragment) for fragment in found] for field, found in fragments().items()}


def _my_resource(fragment: Json) -> Json:
    spec = {"image": "nginx:1.27"} | fragment
    listed = {field: dict.fromkeys(keys, "shop") for field, keys in fragment.get("propagate", {}).items()}
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "web", **listed}, "spec": spec}


def pages() -> dict[str, str]:
    """Return the index and the page of each group, by their paths in docs/reference."""
    given, shown = fragments(), Shown()
    texts, index = {}, BEGIN
    for page, title in PAGES.items():
        fields = {name: SPEC["properties"][name] for name, its_page in PAGE.items() if its_page == page}
        index += f"\n## {title}\n\n" + "".join(_entry(name, node) for name, node in fields.items())
        begin = f"# Fields: {title.lower()}\n\nFor authors of MyResources. This page describes these "
        begin += (
            "[fields](../fields.md) of `spec`:\n" + " · ".join(f"[{name}](#{name.lower()})" for name in fields) + "\n"
        )
        sections = "".join(_section(name, node, given[name], shown) for name, node in fields.items())
        texts[f"fields/{page}.md"] = begin + sections
    rules = "".join(f"- {text}\n" for text in (*_rules(SPEC), *_rules(schema())))
    return {"fields.md": f"{index}\n## Rules for several fields together\n\n{rules}", **texts}


def _entry(name: str, node: Json) -> str:
    """Return the line of the index about a field; links to the field on this page, as there once was, lead to it."""
    about = node["description"]
    short = about if len(about) <= _SHORT else about.partition(". ")[0].removesuffix(".") + "."
    return f'- <a id="{name.lower()}"></a>{_link(name, "fields/")}: {short}\n'


def _link(field: str, folder: str = "") -> str:
    return f"[{field}]({folder}{PAGE[field]}.md#{field.lower()})"


class Shown:
    """The parts of the spec that the page has shown, so that it shows each of them once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._places: dict[str, str] = {}

    def place(self, node: Json, place: str) -> str | None:
        """Return the place of an earlier part with the fields of *node*; or remember *place* as theirs."""
        inner = node.get("items", node).get("properties", {})
        if len(list(below({"properties": inner}))) < 2:  # noqa: PLR2004 - a link would be no shorter
            return None
        first = self._places.setdefault(json.dumps(inner, sort_keys=True), place)
        return first if first != place else None


def _section(name: str, node: Json, given: list[Json], shown: Shown) -> str:
    shown.place(node, f"{name}.")
    rows = list(_rows(name, node, shown))
    table = "".join(f"| `{path}` | {_kind(inner)} | {text} |\n" for path, inner, text in rows)
    table = f"\n| field | type | meaning |\n|---|---|---|\n{table}" if rows else ""
    facts = "; ".join([_kind(node), *_bounds(node)])
    shown_as = "\n".join(f"```yaml\n{_example(fragment)}```\n" for fragment in given)
    return f"\n## {name}\n\n{node['description']} *({facts})*\n{_messages(node, rows)}{table}\n{shown_as}"


def _messages(node: Json, rows: list[tuple[str, Json, str]]) -> str:
    """Return the rules of *node* and of the fields in *rows*, each once."""
    paths: dict[str, list[str]] = {text: [] for text in _rules(node)}
    for path, inner, text in rows:
        for rule in _rules(inner) if _AS not in text else []:
            paths.setdefault(rule, []).append(f"`{path}`")
    rules = [f"- {', '.join(found)}: {text}\n" if found else f"- {text}\n" for text, found in paths.items()]
    return "".join(["\n", *rules]) if rules else ""


def _example(fragment: Json) -> str:
    return "".join(_yaml({name: value}) for name, value in fragment.items())


def _yaml(field: Json) -> str:
    is_single = not any(isinstance(value, dict | list) for value in field.values())
    text = yaml.safe_dump(field, default_flow_style=False if is_single else None, sort_keys=False, width=110)
    return re.sub(r"(?<= )(\d\d:\d\d)$", r"'\1'", text, flags=re.MULTILINE)  # some readers of YAML need these quotes


_AS = "Fields as in "


def _rows(name: str, node: Json, shown: Shown, path: str = "") -> Iterator[tuple[str, Json, str]]:
    """Yield each field under *node*: its path, its schema, and what it means; a part that the page has only links."""
    for inner_path, inner in _fields(node, path):
        earlier = shown.place(inner, f"{name}.{inner_path}")
        section, _, place = (earlier or "").partition(".")
        if earlier:
            there = f"`{place}`" if section == name else f"`{place}` of {_link(section)}" if place else _link(section)
            yield inner_path, inner, f"{_cell(inner)} {_AS}{there}."
            continue
        if "properties" not in inner:
            yield inner_path, inner, _cell(inner)
        yield from _rows(name, inner, shown, inner_path)


def below(node: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every field under *node* with its path; the items of a list are ``[]``."""
    for inner_path, inner in _fields(node, path):
        yield inner_path, inner
        yield from below(inner, inner_path)


def _fields(node: Json, path: str) -> Iterator[tuple[str, Json]]:
    """Yield the fields directly under *node*."""
    items = node.get("items", {})
    here = f"{path}[]" if items else path
    for name, inner in items.get("properties", {}).items() or node.get("properties", {}).items():
        yield f"{here}.{name}".lstrip("."), inner


def _kind(node: Json) -> str:
    if node.get("x-kubernetes-int-or-string"):
        return "integer or string"
    if "enum" in node:
        return ", ".join(f"`{word}`" if word else '`""`' for word in node["enum"])
    if "items" in node:
        return f"list of {_kind(node['items'])}" + ("" if "enum" in node["items"] else "s")
    if "additionalProperties" in node:
        kind = _kind(node["additionalProperties"])
        return "map of quantities" if kind == "integer or string" else f"map of {kind}s"
    return str(node["type"])


def _bounds(node: Json) -> list[str]:
    """Return what the schema bounds, in words, without what its description says."""
    said, default = node["description"], node.get("default")
    bounds = [f"default `{json.dumps(default)}`"] if default and "default" not in said.lower() else []
    low, high = (node.get(word) if node.get("type") == "integer" else None for word in ("minimum", "maximum"))
    if low is not None and high is not None:
        bounds += [f"from {low} to {high}"] if f"{low} to {high}" not in said else []
    elif low is not None or high is not None:
        bounds += [f"at least {low}" if high is None else f"at most {high}"]
    for word, things in (("maxItems", "items"), ("maxProperties", "entries"), ("maxLength", "characters")):
        bounds += [f"at most {node[word]} {things}"] if word in node and "enum" not in node else []
    return bounds


def _rules(node: Json) -> list[str]:
    return [rule["message"] for rule in node.get("x-kubernetes-validations", [])]


def _cell(node: Json) -> str:
    text = " ".join([node["description"], *(f"{bound[0].upper()}{bound[1:]}." for bound in _bounds(node))])
    return text.replace("|", "&#124;")
