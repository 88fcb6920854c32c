"""Objects as an API server stores them, in one form for one meaning, and how two of them differ.

All of it follows from Kubernetes' own schema of their kind. kubernetes.json has it: ``python -m
tests.support.recorded_schema`` records it from a real API server.
"""

import difflib
import json
import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

from msgspec import Struct

from app import Json
from app.api.names import GROUP
from app.core.child_metadata import RESTARTED_AT
from app.core.desired.deployment import pull_policy

Path = tuple[str, ...]
"""The names of fields, and the items of lists, such as ``("spec", "ports", "[80]")``."""

ABSENT = object()
"""In place of a value that an object does not have."""

_METADATA = {"apiVersion", "kind", "metadata", "status"}
_OF_THE_SERVER = {
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields",
    "resourceVersion", "selfLink", "uid",
}  # fmt: skip
_MATCHES_ALL = {
    "core.v1.EmptyDirVolumeSource",
    "core.v1.ImageVolumeSource",
    "apis.meta.v1.LabelSelector",
    "core.v1.NodeSelectorTerm",
}
"""Types whose ``{}`` means something; that of others means the same as nothing."""

_ENTERED = {
    "metadata", "labels", "annotations", "securityContext", "capabilities", "resources", "requests", "limits",
    "lifecycle",
}  # fmt: skip
"""Objects that are as good as there: what is in them differs one by one."""

_WHOLE = {"command", "args", "drop", "values"}
"""Lists of texts that mean something as a whole only."""


class UnacceptableError(Exception):
    """Raised for an object that no API server accepts."""


@cache
def _schema() -> Json:
    found: Json = json.loads(files(__package__).joinpath("kubernetes.json").read_bytes())
    return found


def _shape(type_: Any) -> Any:  # noqa: ANN401 - a type
    return _schema()["types"][type_[1:]] if isinstance(type_, str) and type_[0] == "#" else type_


def kind_of(item: Json) -> str:
    """Return the type of *item*; empty if it is of no kind that an import reads."""
    return str(_schema()["kinds"].get(f"{item['apiVersion']} {item['kind']}", ""))


def spec_type(item: Json) -> Any:  # noqa: ANN401 - a type
    return _schema()["types"][kind_of(item)]["fields"]["spec"]


class Stored(Struct):
    """An object as an API server stores it: its *spec*, and sentences about fields that its kind does not declare."""

    spec: Json
    undeclared: list[str]


def stored(item: Json) -> Stored:
    """Return *item* as an API server stores it, without values that mean nothing; raise UnacceptableError."""
    undeclared = [_no_field((name,), [*_METADATA, "spec"]) for name in item if name not in {*_METADATA, "spec"}]
    users = {name: value for name, value in (item.get("metadata") or {}).items() if name not in _OF_THE_SERVER}
    _read(users, "#apis.meta.v1.ObjectMeta", ("metadata",), undeclared)
    return Stored(_read(item.get("spec"), spec_type(item), ("spec",), undeclared), undeclared)


def _no_field(path: Path, fields: Iterable[str]) -> str:
    close = difflib.get_close_matches(path[-1], fields, n=1)
    return f"{format_path(path)}: Kubernetes has no such field{f'; did you mean {close[0]}?' if close else ''}"


def _read(value: Any, type_: Any, path: Path, undeclared: list[str]) -> Any:  # noqa: ANN401 - any JSON
    shape = _shape(type_)
    if isinstance(shape, str):
        return _scalar(value, shape, path)
    if "fields" in shape:
        return _object(_expected(value, dict, "an object", path), shape, path, undeclared)
    if "items" in shape:
        items = [({} if item is None else item) for item in _expected(value, list, "a list", path)]
        keys = shape.get("keys", ())
        steps = [(_key(item, keys) if isinstance(item, dict) else "") or index for index, item in enumerate(items)]
        return [
            _read(item, shape["items"], (*path, f"[{step}]"), undeclared)
            for step, item in zip(steps, items, strict=True)
        ]
    if "values" in shape:
        entries = _expected(value, dict, "an object", path)
        read = {
            str(key): _read(inner, shape["values"], (*path, str(key)), undeclared)
            for key, inner in entries.items()
            if inner is not None
        }
        return {key: quantity(inner, key) for key, inner in read.items()} if shape["values"] == "quantity" else read
    return _scalar(value, "string", path) if "enum" in shape else value


def _object(entries: Json, shape: Json, path: Path, undeclared: list[str]) -> Json:
    kept = shape.get("kept", ())
    found: Json = {}
    for field, given in entries.items():
        if field not in shape["fields"]:
            undeclared.append(_no_field((*path, str(field)), shape["fields"]))
        elif given is not None:
            inner = _read(given, shape["fields"][field], (*path, field), undeclared)
            if field in kept or inner not in (False, 0, "", [], {}):
                found[field] = quantity(inner, field) if field == "sizeLimit" else inner
    missing = [field for field in shape.get("required", ()) if field not in {*found, *shape.get("defaults", ())}]
    if missing:
        message = f"{format_path((*path, missing[0]))} is required"
        raise UnacceptableError(message)
    filled = _filled(found, shape.get("defaults", {}))
    unset = shape.get("unset", {})
    return {
        field: inner
        for field, inner in filled.items()
        if not (field in unset and unset[field] == inner)
        and (inner != {} or shape["fields"][field][1:] in _MATCHES_ALL)
    }


def _filled(given: Json, defaults: Json) -> Json:
    """Return *given* with *defaults*, also those within objects that it has a part of."""
    merged = {
        field: _filled(given[field], default)
        for field, default in defaults.items()
        if isinstance(default, dict) and isinstance(given.get(field), dict)
    }
    filled = {**given, **{field: default for field, default in defaults.items() if field not in given}, **merged}
    if filled.get("type") == "Recreate":
        filled.pop("rollingUpdate", None)
    return filled


def _scalar(value: Any, kind: str, path: Path) -> Any:  # noqa: ANN401 - any JSON
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind in ("double", "number"):
        return value if is_number else _refuse(path, "a number")
    if kind == "quantity":
        return quantity(value) or _refuse(path, "a quantity, such as 64Mi")
    if kind == "boolean":
        return _expected(value, bool, "true or false", path)
    if kind in ("int32", "int64", "int-or-string"):
        if is_number and value == int(value) and abs(value) < 2 ** (63 if kind == "int64" else 31):
            return int(value)
        return (
            _expected(value, str, "a whole number", path)
            if kind == "int-or-string"
            else _refuse(path, "a whole number")
        )
    return _expected(value, str, "a string", path)


def _expected(value: Any, type_: type, words: str, path: Path) -> Any:  # noqa: ANN401 - any JSON
    return value if isinstance(value, type_) else _refuse(path, words)


def _refuse(path: Path, words: str) -> NoReturn:
    message = f"{format_path(path)} must be {words}"
    raise UnacceptableError(message)


_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?")
UNITS = {unit.strip(): Fraction(1000) ** power for power, unit in enumerate("num kMGTPE", -3)} | {
    f"{unit}i": Fraction(1024) ** power for power, unit in enumerate("KMGTPE", 1)
}
_IN_BYTES = re.compile("memory|ephemeral-storage|storage|hugepages-.*|sizeLimit")


def amount_of(written: object) -> Fraction | None:
    parts = _QUANTITY.fullmatch(str(written)) if not isinstance(written, bool) else None
    if parts is None:
        return None
    number, unit = parts[1], parts[2] or ""
    return Fraction(number) * UNITS[unit] if unit in UNITS else Fraction(f"{number}{unit}")


def quantity(written: object, resource: str = "") -> str | None:
    """Return the quantity *written* as an API server stores it, which rounds up to a thousandth.

    An amount of *resource*, if that is counted in bytes, is rounded up to whole ones, as all that read it do.
    """
    amount = amount_of(written)
    if amount is None:
        return None
    steps = 1 if _IN_BYTES.fullmatch(resource) else 1000
    amount = Fraction(math.ceil(amount * steps), steps)
    is_binary = str(written).endswith("i") and abs(amount) >= UNITS["Ki"] and amount.denominator == 1
    sizes = {unit: size for unit, size in UNITS.items() if not unit or unit.endswith("i") == is_binary}
    unit = max((unit for unit in sizes if (amount / sizes[unit]).denominator == 1), key=lambda unit: sizes[unit])
    return f"{amount / sizes[unit]}{unit}" if amount else "0"


class Difference(Struct, frozen=True):
    """A difference at *path*, where ``given`` or ``made`` may be ABSENT."""

    path: Path
    given: Any
    made: Any

    @property
    def is_added(self) -> bool:
        """Whether only the made object has something there."""
        return self.given is ABSENT


def format_path(path: Path) -> str:
    """Return *path* as users write it, such as ``spec.template.spec.containers[web].ports[80].hostPort``."""
    return "".join(step if step.startswith("[") else f".{step}" for step in path).removeprefix(".")


def fields_of(path: Path) -> str:
    """Return the names of the fields in *path*, such as ``spec.template.spec.containers.ports.hostPort``."""
    return ".".join(step for step in path if not step.startswith("["))


def differences(given: Any, made: Any, type_: Any, path: Path = ("spec",)) -> Iterator[Difference]:  # noqa: ANN401 - any JSON
    """Yield where *made* is not as *given*, both of *type_*, at the highest place that only one of them has."""
    if given == made or (type_ == "quantity" and amount_of(given) == amount_of(made)):
        return
    shape = _shape(type_)
    if isinstance(given, dict) and isinstance(made, dict) and isinstance(shape, dict):
        fields = shape.get("fields", {})
        for name in dict.fromkeys([*given, *made]):
            inner = fields.get(name, shape.get("values", "string"))
            absent: Any = {} if name in _ENTERED else ABSENT
            yield from differences(given.get(name, absent), made.get(name, absent), inner, (*path, name))
    elif isinstance(given, list) and isinstance(made, list) and "items" in shape and path[-1] not in _WHOLE:
        old, new = steps_of(given, shape, made), steps_of(made, shape, given)
        for step in dict.fromkeys([*old, *new]):
            yield from differences(old.get(step, ABSENT), new.get(step, ABSENT), shape["items"], (*path, step))
    else:
        yield Difference(path, given, made)


def steps_of(items: list[Any], shape: Json, others: list[Any] | None = None) -> dict[str, Any]:
    """Return the *items* of a list of *shape* by their steps in a path; one that is among *others* has no number."""
    keys = shape.get("keys")
    found: dict[str, Any] = {}
    left = [*(others or [])]
    for index, item in enumerate(items):
        if keys and (known := _key(item, keys)):
            step = f"[{known}]"
        elif isinstance(item, str | int):
            step = f"[{item}]"
        elif others is not None and item in left:
            left.remove(item)
            continue
        else:
            step = f"[{index}]"
        if step in found and item != found[step]:
            step = f"{step[:-1]}, {index}]"
        found[step] = item
    return found


def _key(item: Json, keys: Iterable[str]) -> str:
    values = [item.get(key) for key in keys]
    # A port that has no protocol, or TCP, is known by its number alone.
    return "/".join(str(value) for value in values if value != "TCP" and isinstance(value, str | int))


def brief(value: Any, type_: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *value*, of *type_*, without the defaults that an API server sets in fields that it does not require."""
    shape = _shape(type_)
    if isinstance(value, list):
        return [brief(item, shape["items"]) for item in value]
    if not isinstance(value, dict) or "fields" not in shape:
        return value
    defaults, required = shape.get("defaults", {}), shape.get("required", ())
    return {
        name: brief(inner, shape["fields"][name])
        for name, inner in value.items()
        if name in required or name not in defaults or defaults[name] != inner
    }


def field_type(type_: Any, name: str) -> Any:  # noqa: ANN401 - a type
    return _shape(_shape(type_)["fields"][name])


OF_CONTAINERS = ("runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile")
"""Fields of the securityContext of a Pod that are defaults for its containers."""

_NO_RULE = ("runAsNonRoot", False)
"""It asks for nothing."""

_BOOKKEEPING = {
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/default-container",
    "kubectl.kubernetes.io/default-logs-container",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubectl.kubernetes.io/restartedAt",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
}
"""Annotations that kubectl, Helm and controllers keep for themselves; a MyResource has one application anyway."""

_NO_PODS = {"generateName", "name", "namespace", "ownerReferences"}
"""Metadata of a template that no Pod gets."""


def kept_annotations(metadata: Json) -> dict[str, str]:
    """Return the annotations in *metadata* that are not for kubectl, controllers or the operator alone."""
    given = (metadata.get("annotations") or {}).items()
    return {
        key: value
        for key, value in given
        if key not in _BOOKKEEPING and (key == RESTARTED_AT or not key.startswith(f"{GROUP}/"))
    }


def effective(spec: Json, main: str) -> Json:
    """Return the *spec* of a Deployment, as it is stored, in one form for one meaning.

    What the Pod sets for its containers is in each of them, and a reference has no name of its own container, or in a
    volume that of the application, *main*.
    """
    template = spec["template"]
    metadata, pod = template.get("metadata") or {}, template["spec"]
    kept = {**metadata, "annotations": kept_annotations(metadata)}
    kept = {name: value for name, value in kept.items() if value and name not in _NO_PODS}
    security = pod.get("securityContext") or {}
    shared = {name: security[name] for name in OF_CONTAINERS if name in security}
    account = pod.get("serviceAccountName") or pod.get("serviceAccount")
    made = {
        **{name: value for name, value in pod.items() if name not in ("serviceAccount", "securityContext", "volumes")},
        **({"serviceAccountName": account} if account else {}),
        "securityContext": {name: value for name, value in security.items() if name not in shared},
        "volumes": [_without_own_name(_volume(each), main) for each in pod.get("volumes") or []],
        **{
            group: [_container(each, shared, has_host_ports=pod.get("hostNetwork", False)) for each in pod[group]]
            for group in ("containers", "initContainers")
            if group in pod
        },
    }
    return {
        **{name: value for name, value in spec.items() if name != "selector"},
        "template": {
            "metadata": kept,
            "spec": {name: value for name, value in made.items() if value not in ({}, [])},
        },
    }


def overtaken(container: Json) -> Iterator[str]:
    """Yield the names of variables of *container* that are set again behind a reference to them.

    The reference means the value before it, and a MyResource has each variable once.
    """
    seen: set[str] = set()
    referred: set[str] = set()
    for each in container.get("env") or []:
        if each["name"] in referred:
            yield each["name"]
        seen.add(each["name"])
        referred |= {name for name in seen if f"$({name})" in str(each.get("value") or "")}


def _volume(volume: Json) -> Json:
    return {**volume, "emptyDir": {}} if volume.keys() == {"name"} else volume


def _container(container: Json, shared: Json, *, has_host_ports: bool) -> Json:
    own = container.get("securityContext") or {}
    security = {**shared, **own, "capabilities": _capabilities(own.get("capabilities") or {})}
    security = {name: value for name, value in security.items() if value != {} and (name, value) != _NO_RULE}
    ports = [
        {"hostPort": port["containerPort"], **port} if has_host_ports else port for port in container.get("ports") or []
    ]
    env: dict[str, Json] = {}
    for each in container.get("env") or []:
        env.pop(each["name"], None)  # of variables with the same name, the last one counts, in its place
        env[each["name"]] = _without_own_name(each, container["name"])
    made = {**container, "ports": ports, "env": [*env.values()], "securityContext": security}
    if made.get("imagePullPolicy") == pull_policy(str(made.get("image") or "")):
        del made["imagePullPolicy"]
    return {name: value for name, value in made.items() if value not in ({}, [])}


def _capabilities(given: Json) -> Json:
    names = {verb: {name.upper().removeprefix("CAP_") for name in given.get(verb) or []} for verb in ("add", "drop")}
    return {verb: ["ALL"] if "ALL" in found else sorted(found) for verb, found in names.items() if found}


def _without_own_name(value: Any, name: str) -> Any:  # noqa: ANN401 - any JSON
    """Return *value* without the name of the container in references to resources of the container *name*."""
    if isinstance(value, list):
        return [_without_own_name(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {part: each for part, each in inner.items() if (part, each) != ("containerName", name)}
        if key == "resourceFieldRef" and isinstance(inner, dict)
        else _without_own_name(inner, name)
        for key, inner in value.items()
    }


def as_given(made: Json, given: Json, main: str) -> Json:
    """Return the *made* spec with the containers called, and in the lists, as in the *given* one."""
    pod = made["template"]["spec"]
    names = [each["name"] for each in given["template"]["spec"]["containers"]]
    sidecars = {each["name"]: each for each in pod.get("initContainers") or [] if each["name"] in names}
    others = [each for each in pod.get("initContainers") or [] if each["name"] not in names]
    (application,) = pod["containers"]
    found = {**sidecars, main: {**application, "name": main}}
    containers = [
        {key: value for key, value in found[name].items() if name == main or key != "restartPolicy"}
        for name in names
        if name in found
    ]
    changed = {**{key: value for key, value in pod.items() if key != "initContainers"}, "containers": containers}
    changed |= {"initContainers": others} if others else {}
    return {**made, "template": {**made["template"], "spec": changed}}
