"""The CustomResourceDefinition, made from the models. ``myresource crd`` prints it; ``crds/`` holds a copy.

A structural schema has an allow-list of keywords: one that is not known here raises, so that a new pydantic release
fails a test instead of making a CRD that the API server refuses, or worse, quietly reads as something else.
Source: Kubernetes, "Custom resources: specifying a structural schema".
"""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import ModelSchema

from app.api.descriptions import descriptions
from app.api.generated_schema import Schema
from app.api.model import CEL_RULES
from app.api.names import GROUP, KIND, PLURAL, SHORT_NAME, SINGULAR, VERSION
from app.api.rollouts import NOT_ITSELF
from app.api.scalars import NAME
from app.api.spec import MyResourceSpec
from app.api.status import MyResourceStatus


class DescribedSchema(GenerateJsonSchema):
    """Makes JSON schemas in which fields have their descriptions."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        fields = schema["cls"].model_fields
        for name, text in descriptions(schema["cls"]).items():
            made["properties"][fields[name].alias or name]["description"] = text
        return made


_KEPT = {
    "type", "description", "default", "enum", "format", "pattern", "required",
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys", CEL_RULES,
}  # fmt: skip
_DROPPED = {"title"}
_BELOW = ("items", "additionalProperties")
_TYPES = {"object", "array", "string", "integer", "number", "boolean"}
_FORMATS = {"date-time", "int32", "int64"}


def structural(model: type[BaseModel]) -> Schema:
    """Return *model* as a structural schema; raise ValueError for what a CRD can't say."""
    schema = model.model_json_schema(by_alias=True, mode="validation", schema_generator=DescribedSchema)
    node = _node(schema, schema.get("$defs", {}), ())
    _check(node)
    return node


def _check(node: Schema) -> None:
    """Raise ValueError unless every node below *node* has a type, and no default a null."""
    if node.get("type") not in _TYPES and "x-kubernetes-int-or-string" not in node:
        message = "a CRD can't say a value of any or no type"
        raise ValueError(message)
    if None in _leaves(node.get("default", "")):
        message = "a CRD can't say null in a default"
        raise ValueError(message)
    for sub in [*node.get("properties", {}).values(), *(node[below] for below in _BELOW if below in node)]:
        _check(sub)


def _leaves(value: object) -> list[object]:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if below is None else [leaf for item in below for leaf in _leaves(item)]


def _node(schema: Schema, defs: Schema, above: tuple[str, ...]) -> Schema:
    if "$ref" in schema:
        return _inlined(schema, defs, above)
    if "anyOf" in schema:
        return _merged_branches(schema, defs, above)
    node: Schema = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            node[keyword] = {name: _node(sub, defs, above) for name, sub in value.items()}
        elif keyword in _BELOW and isinstance(value, dict):
            node[keyword] = _node(value, defs, above)
        elif keyword == "const":
            node["enum"] = [value]
        elif keyword in _KEPT:
            node[keyword] = value
        elif keyword not in _DROPPED | {"$defs"}:
            message = f"a CRD can't say {keyword!r}"
            raise ValueError(message)
    if node.get("format", "int32") not in _FORMATS:
        message = f"a CRD ignores format {node['format']!r}"
        raise ValueError(message)
    return node


def _inlined(schema: Schema, defs: Schema, above: tuple[str, ...]) -> Schema:
    name = schema["$ref"].removeprefix("#/$defs/")
    if name in above:
        message = f"{name} contains itself, which a CRD can't say"
        raise ValueError(message)
    return _beside(_node(defs[name], defs, (*above, name)), schema, "$ref", defs, above)


def _merged_branches(schema: Schema, defs: Schema, above: tuple[str, ...]) -> Schema:
    """Fold ``X | None`` into X, and ``int | str`` into one int-or-string node."""
    branches = [_node(branch, defs, above) for branch in schema["anyOf"] if branch != {"type": "null"}]
    if len(branches) == 1:
        node = branches[0]
    elif [branch.pop("type", None) for branch in branches] == ["integer", "string"]:
        rules = [rule for branch in branches for rule in branch.pop(CEL_RULES, [])]
        node = {"x-kubernetes-int-or-string": True, **branches[0], **branches[1], **_ruled(rules)}
    else:
        message = "a CRD can't say a union other than int | str and X | None"
        raise ValueError(message)
    return _beside(node, schema, "anyOf", defs, above)


def _beside(node: Schema, schema: Schema, keyword: str, defs: Schema, above: tuple[str, ...]) -> Schema:
    """Lay the keywords that stand beside *keyword* over *node*; rules add up, and a null default counts as absent."""
    beside = {key: value for key, value in schema.items() if key != keyword}
    if beside.get("default", ...) is None:
        del beside["default"]
    outer = _node(beside, defs, above)
    rules = [*node.get(CEL_RULES, []), *outer.get(CEL_RULES, [])]
    return {**node, **outer, **_ruled(rules)}


def _ruled(rules: list[Schema]) -> Schema:
    return {CEL_RULES: rules} if rules else {}


_READY = '.status.conditions[?(@.type=="Ready")]'


def _column(name: str, path: str, kind: str = "string", *, wide: bool = False) -> dict[str, Any]:
    return {"name": name, "type": kind, "jsonPath": path, **({"priority": 1} if wide else {})}


COLUMNS = [
    _column("Ready", f"{_READY}.status"),
    _column("State", ".status.state"),
    _column("Reason", f"{_READY}.reason"),
    _column("Image", ".spec.image"),
    _column("Replicas", ".status.replicas", "integer"),
    _column("Updated", ".status.updatedReplicas", "integer", wide=True),
    _column("Ready Pods", ".status.readyReplicas", "integer", wide=True),
    _column("Age", ".metadata.creationTimestamp", "date"),
    _column("Memory", ".spec.memory", wide=True),
    _column("Address", ".status.address", wide=True),
    _column("Next", ".status.schedule.nextTransition", wide=True),
    _column("Message", f"{_READY}.message", wide=True),
]


def schema() -> Schema:
    name = {
        "type": "string",
        "description": "Name of the MyResource. Its Deployment is called NAME-deployment.",
        "maxLength": 63,
        "x-kubernetes-validations": NAME.crd(),
    }
    return {
        "type": "object",
        "description": "A MyResource runs an application: a Deployment, and a Service if it has ports.",
        "required": ["spec"],
        "properties": {
            "apiVersion": {
                "type": "string",
                "description": "API version of this object: mygroup.example.com/v1alpha1.",
            },
            "kind": {"type": "string", "description": "Kind of this object: MyResource."},
            "metadata": {
                "type": "object",
                "properties": {"name": name},
            },
            "spec": structural(MyResourceSpec),
            "status": structural(MyResourceStatus),
        },
        "x-kubernetes-validations": NOT_ITSELF.crd(),
    }


def crd() -> dict[str, Any]:
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema()},
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "additionalPrinterColumns": COLUMNS,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "singular": SINGULAR,
                "shortNames": [SHORT_NAME],
            },
            "scope": "Namespaced",
            "versions": [version],
        },
    }
