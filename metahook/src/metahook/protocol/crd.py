"""A CustomResourceDefinition, made from the structs that a hook reads its parents by.

Its schema is an allow-list: a type that a CRD can't say raises, because an API server would refuse the CRD, or store
what the hook can't read.
Source: Kubernetes, "Custom resources: specifying a structural schema".
"""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any

import msgspec
from msgspec import inspect as types

from metahook.protocol.objects import Kind, Manifest, without_nulls

Schema = dict[str, Any]

_KEPT = {"description", "example", "format", "title"}
_DROPPED = {"examples"}
_EXTENSION = "x-kubernetes-"

_ANY: Schema = {"x-kubernetes-preserve-unknown-fields": True}
_FIXED: dict[type, Schema] = {
    types.AnyType: _ANY,
    types.RawType: _ANY,
    types.BytesType: {"type": "string", "format": "byte"},
    types.BoolType: {"type": "boolean"},
    types.DateType: {"type": "string", "format": "date"},
    types.DateTimeType: {"type": "string", "format": "date-time"},
    types.UUIDType: {"type": "string", "format": "uuid"},
}
"""Types that always have the same schema."""


class NotStructural(TypeError):
    """Raised for a type that a CRD can't say. Its text names the field."""


def structural(struct: type[msgspec.Struct], path: str) -> Schema:
    """Return the schema of *struct*, whose fields are at *path*; raise NotStructural.

    A docstring of the struct, or below a field, is a description. A default is one in the cluster, too, except an empty
    list or map, which is the same as none.
    """
    try:
        return _node(types.type_info(struct), path)
    except RecursionError:
        message = f"{path}: {struct.__name__} contains itself, which a CRD can't say"
        raise NotStructural(message) from None


def _node(type_: types.Type, path: str) -> Schema:
    if isinstance(type_, types.Metadata):
        return {**_node(type_.type, path), **_kept(type_.extra_json_schema or {}, path)}
    if type(type_) in _FIXED:
        return dict(_FIXED[type(type_)])
    if type(type_) not in _MADE:
        message = f"{path}: a CRD can't say {type(type_).__name__.removesuffix('Type').lower()}; use another type"
        raise NotStructural(message)
    return _MADE[type(type_)](type_, path)


def _number(type_: types.IntType | types.FloatType, path: str) -> Schema:
    del path
    kind = {"type": "integer", "format": "int64"} if isinstance(type_, types.IntType) else {"type": "number"}
    least, most = type_.ge if type_.gt is None else type_.gt, type_.le if type_.lt is None else type_.lt
    return kind | _present(
        minimum=least,
        exclusiveMinimum=True if type_.gt is not None else None,
        maximum=most,
        exclusiveMaximum=True if type_.lt is not None else None,
        multipleOf=type_.multiple_of,
    )


def _string(type_: types.StrType, path: str) -> Schema:
    del path
    bounds = _present(minLength=type_.min_length, maxLength=type_.max_length, pattern=type_.pattern)
    return {"type": "string", **bounds}


def _list(type_: types.ListType, path: str) -> Schema:
    bounds = _present(minItems=type_.min_length, maxItems=type_.max_length)
    return {"type": "array", **bounds, "items": _node(type_.item_type, f"{path}[]")}


def _map(type_: types.DictType, path: str) -> Schema:
    if not isinstance(type_.key_type, types.StrType):
        message = f"{path}: a CRD can't say a map whose keys are no strings"
        raise NotStructural(message)
    bounds = _present(minProperties=type_.min_length, maxProperties=type_.max_length)
    return {"type": "object", **bounds, "additionalProperties": _node(type_.value_type, f"{path}.*")}


def _object(type_: types.StructType, path: str) -> Schema:
    if type_.array_like or type_.tag is not None:
        message = f"{path}: a CRD can't say a struct that is an array or has a tag"
        raise NotStructural(message)
    texts = _descriptions(type_.cls)
    fields = {field.encode_name: _field(field, texts.get(field.name), path) for field in type_.fields}
    required = [field.encode_name for field in type_.fields if field.required]
    text = _text(type_.cls.__doc__)
    return {
        "type": "object",
        **_present(description=text),
        **({"required": required} if required else {}),
        "properties": fields,
    }


def _field(field: types.Field, text: str | None, path: str) -> Schema:
    node = _node(field.type, f"{path}.{field.encode_name}")
    if not field.required:
        node.pop("nullable", None)  # absence says what null would
    default = _default(field)
    return {**node, **_present(description=text), **({} if default in (None, [], {}) else {"default": default})}


def _default(field: types.Field) -> Any:  # noqa: ANN401 - JSON
    if field.default == b"" or isinstance(field.default, msgspec.Raw):
        default = None  # to an API server, an empty string is not base64
    elif field.default is not msgspec.NODEFAULT:
        default = field.default
    elif field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    else:
        default = None
    # A CRD can't have nulls in a default.
    return without_nulls(msgspec.to_builtins(default, str_keys=True))


def _union(type_: types.UnionType, path: str) -> Schema:
    """Return the schema of ``X | None``, and of ``int | str``."""
    branches = [inner for inner in type_.types if not isinstance(inner, types.NoneType)]
    nullable = {"nullable": True} if len(branches) < len(type_.types) else {}
    nodes = [_node(inner, path) for inner in branches]
    if len(nodes) == 1:
        return {**nodes[0], **({} if "enum" in nodes[0] else nullable)}
    kinds = {node.pop("type", "") for node in nodes}
    if kinds != {"integer", "string"}:
        message = f"{path}: a CRD can't say a union other than int | str and X | None"
        raise NotStructural(message)
    merged = {name: value for node in nodes for name, value in node.items() if name != "format"}
    return {"x-kubernetes-int-or-string": True, **merged, **nullable}


def _enum(type_: types.EnumType | types.LiteralType, path: str) -> Schema:
    values = type_.values if isinstance(type_, types.LiteralType) else [member.value for member in type_.cls]
    # An API server accepts no null where a schema has an enum, whether it is nullable or not.
    given = [value for value in values if value is not None]
    kinds, names = set(map(type, given)), {str: "string", int: "integer"}
    if len(kinds) != 1 or not kinds <= names.keys():
        message = f"{path}: a CRD can't say values of several types"
        raise NotStructural(message)
    return {"type": names[kinds.pop()], "enum": given}


def _kept(extra: Mapping[str, Any], path: str) -> Schema:
    kept = {name: value for name, value in extra.items() if name in _KEPT or name.startswith(_EXTENSION)}
    if unknown := sorted(extra.keys() - kept.keys() - _DROPPED):
        message = f"{path}: a CRD can't say {', '.join(unknown)} here; use the arguments of msgspec.Meta"
        raise NotStructural(message)
    return kept


_MADE: dict[type, Callable[[Any, str], Schema]] = {
    types.DictType: _map,
    types.EnumType: _enum,
    types.FloatType: _number,
    types.IntType: _number,
    types.ListType: _list,
    types.LiteralType: _enum,
    types.StrType: _string,
    types.StructType: _object,
    types.UnionType: _union,
}


def _present(**keywords: object) -> Schema:
    return {name: value for name, value in keywords.items() if value is not None}


def _text(docstring: str | None) -> str | None:
    """Return *docstring* with its lines joined, as ``kubectl explain`` wraps it by itself; its paragraphs stay."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs) or None


def _descriptions(struct: type) -> dict[str, str | None]:
    """Return the docstrings below the fields of *struct* and of its bases, by the names of the fields."""
    return {name: text for base in reversed(struct.__mro__) for name, text in _own_descriptions(base).items()}


@cache
def _own_descriptions(struct: type) -> dict[str, str | None]:
    try:
        (definition,) = ast.parse(dedent(inspect.getsource(struct))).body
    except (OSError, SyntaxError, TypeError):  # there is no source, or it has no indentation of its own
        return {}
    return dict(_described(definition.body if isinstance(definition, ast.ClassDef) else []))


def _described(body: list[ast.stmt]) -> Iterator[tuple[str, str | None]]:
    """Yield each field that a docstring follows, with that docstring."""
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, _text(text)


_COLUMN_TYPES = {"integer", "number", "boolean"}


def crd(
    kind: Kind,
    spec: type[msgspec.Struct],
    status: type[msgspec.Struct],
    *,
    columns: Mapping[str, str] | None = None,
    short_names: Sequence[str] = (),
) -> Manifest:
    """Return the CRD of *kind*, whose objects have *spec* and *status*; raise NotStructural for what a CRD can't say.

    *columns* are what ``kubectl get`` prints beside the name and the age: JSON paths, such as ``.spec.image``, by the
    heading. A docstring of a struct, or below one of its fields, is what ``kubectl explain`` prints. A CEL rule of
    a field is in ``Meta(extra_json_schema={"x-kubernetes-validations": [...]})`` of msgspec. Raise ValueError for a
    *kind* without a group.
    """
    group, _, version = kind.api_version.partition("/")
    if not version:
        message = f"{kind.kind}: a CRD needs a group, as in example.com/v1"
        raise ValueError(message)
    schema = _schema(structural(spec, "spec"), structural(status, "status"))
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{group}"},
        "spec": {
            "group": group,
            "names": _names(kind, short_names),
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [_version(version, schema, columns)],
        },
    }


def _names(kind: Kind, short_names: Sequence[str]) -> dict[str, Any]:
    names = {"kind": kind.kind, "listKind": f"{kind.kind}List", "plural": kind.plural, "singular": kind.kind.lower()}
    return {**names, **({"shortNames": list(short_names)} if short_names else {})}


def _version(name: str, schema: Schema, columns: Mapping[str, str] | None) -> dict[str, Any]:
    return {
        "name": name,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        **({"additionalPrinterColumns": _columns(columns, schema)} if columns else {}),
        "schema": {"openAPIV3Schema": schema},
    }


def _schema(spec: Schema, status: Schema) -> Schema:
    # Metacontroller writes it; an API server would drop it, and each sync would write it again.
    status["properties"]["observedGeneration"] = {"type": "integer", "format": "int64"}
    if not spec.get("required"):
        spec["default"] = {}  # the defaults of the fields are those of an object without a spec, too
    return {
        "type": "object",
        **({"required": ["spec"]} if spec.get("required") else {}),
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": status,
        },
    }


def _columns(columns: Mapping[str, str], schema: Schema) -> list[dict[str, str]]:
    listed = [{"name": name, "type": _column_type(path, schema), "jsonPath": path} for name, path in columns.items()]
    return [*listed, {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]


def _column_type(path: str, schema: Schema) -> str:
    """Return the type of the field at *path*, if it is one that a column has; else string, which any value has."""
    for name in path.removeprefix(".").split("."):
        schema = schema.get("properties", {}).get(name, {})
    found: str = schema.get("type", "")
    return found if found in _COLUMN_TYPES else "string"
