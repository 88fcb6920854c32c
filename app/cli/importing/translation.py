"""From a Deployment to a spec: its fields as leaves, each with where it comes from, and the tree that grows of them.

A leaf is the smallest part that means something by itself: a variable, a mount, a probe, the limit of one resource. The
tree takes a leaf if the spec is valid with it. So what a spec can't have goes alone, and takes along what would mean
something else without it.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any

import msgspec
from msgspec.structs import replace

from app import Json
from app.api.containers import Container
from app.api.generated_schema import Schema, spec_schema
from app.api.model import NEW, Model, Owner, copied_fields
from app.api.reading import InvalidSpec, read
from app.api.resources import SYNTAX
from app.api.scalars import matches
from app.api.spec import MyResourceSpec
from app.cli.importing.kubernetes import UNITS, Path, amount_of, field_type, fields_of, quantity, steps_of
from app.core.child_metadata import RESTARTED_AT


class Leaf(msgspec.Struct, frozen=True):
    """A *value* for the *place* in a spec, in which ``[key]`` is an item of a list."""

    place: Path
    value: Any
    paths: tuple[Path, ...]
    """Where it comes from."""
    reason: str = ""
    """Why a spec can't have it, if that is known."""
    around: tuple[tuple[Path, Json], ...] = ()
    """What it needs around it."""
    subject: str = ""
    """The object that it comes from, such as ``Service web``; by default the Deployment."""


_ORDER = ("image", "progressDeadlineSeconds", "terminationGracePeriodSeconds", "resources", "ports", "volumes")
"""The fields that others need, in this order; all others follow, and initContainers."""

_DIVIDED = {
    "imagePullSecrets", "volumes", "tolerations", "topologySpreadConstraints", "hostAliases", "affinity",
    "nodeAffinity", "podAffinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution", "dnsConfig", "nameservers", "searches", "options", "env",
    "envFrom", "volumeMounts", "lifecycle",
}  # fmt: skip
"""Fields whose parts mean something without one another."""

DEFAULT_MEMORY = Container.model_fields["memory"].default
POD: Path = ("spec", "template", "spec")
_POD, _CONTAINER = "#core.v1.PodSpec", "#core.v1.Container"
_TYPES: dict[Owner, str] = {"Deployment": "#apps.v1.DeploymentSpec", "Pod": _POD, "Container": _CONTAINER}


def leaves(spec: Json, main: str) -> list[Leaf]:
    """Return the leaves for the brief *spec* of a Deployment whose application runs in the container *main*."""
    template = spec["template"]
    pod: Json = template["spec"]
    sidecars = [{**each, "restartPolicy": "Always"} for each in pod["containers"] if each["name"] != main]
    (application,) = (each for each in pod["containers"] if each["name"] == main)
    found = [
        *_copied(spec, MyResourceSpec, "Deployment", (), ("spec",)),
        *_metadata(template.get("metadata") or {}),
        *_copied(pod, MyResourceSpec, "Pod", (), POD),
        *(leaf for step, each in _items(pod, _POD, "volumes") for leaf in _volume(each, step)),
        *_container({"image": "", **application}, (), (*POD, "containers", f"[{main}]")),
        *_security(pod),
    ]
    for each, group in (*((each, "initContainers") for each in pod.get("initContainers") or []),
                        *((each, "containers") for each in sidecars)):  # fmt: skip
        found += _init_container(each, (*POD, group, f"[{each['name']}]"))
    return sorted(found, key=lambda leaf: _rank(leaf.place))


def _rank(place: Path) -> tuple[int, int]:
    first = place[0] if place else ""
    if first == "initContainers":
        return len(_ORDER) + 1, 0
    return _ORDER.index(first) if first in _ORDER else len(_ORDER), 0 if "limits" in place else 1


def _items(value: Json, type_: str, name: str) -> Iterable[tuple[str, Any]]:
    return steps_of(value.get(name) or [], field_type(type_, name)).items()


def _copied(value: Json, model: type[Model], owner: Owner, place: Path, path: Path) -> Iterator[Leaf]:
    """Yield the leaves of *value*, an *owner* at *path*, for the fields of *model* that an owner has as they are."""
    for steps, name in copied_fields(model, owner).items():
        found = _at(value, steps)
        if found is not None:
            field = str(model.model_fields[name].alias)
            yield from _divided(found, (*place, field), (*path, *steps), reduce(field_type, steps, _TYPES[owner]))


def _divided(value: Any, place: Path, path: Path, type_: Any) -> Iterator[Leaf]:  # noqa: ANN401 - any JSON
    if place[-1] not in _DIVIDED:
        yield from _leaf(value, place, path)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _divided(inner, (*place, name), (*path, name), field_type(type_, name))
    else:
        for step, item in steps_of(value, type_).items():
            yield from _leaf(item, (*place, step), (*path, step))


def _leaf(value: Any, place: Path, path: Path) -> Iterator[Leaf]:  # noqa: ANN401 - any JSON
    """Yield *value* as a leaf; a lost one if the spec has no field for a part of it."""
    schema: Schema | None = spec_schema()
    for step in place:
        schema = schema and (schema.get("items") if step.startswith("[") else schema.get("properties", {}).get(step))
    unknown = () if schema is None else next(_unknown(value, schema, ()), None)
    if unknown is None:
        yield Leaf(place, value, (path,))
        return
    is_source = place[0] == "volumes" and len(unknown) == 1
    what = f"its {fields_of(unknown)}{'' if is_source else ', which changes what it means'}" if unknown else "it"
    yield Leaf(place, value, (path, (*path, *unknown)), f"a MyResource has no field for {what}")


def _unknown(value: Any, schema: Schema, path: Path) -> Iterator[Path]:  # noqa: ANN401 - any JSON
    """Yield the paths in *value* for which *schema* has no field."""
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            if name in schema["properties"]:
                yield from _unknown(inner, schema["properties"][name], (*path, name))
            else:
                yield (*path, name)
    elif isinstance(value, list) and "items" in schema:
        for index, inner in enumerate(value):
            yield from _unknown(inner, schema["items"], (*path, f"[{index}]"))


def _metadata(metadata: Json) -> Iterator[Leaf]:
    for group in ("labels", "annotations"):
        for key, value in (metadata.get(group) or {}).items():
            path = ("spec", "template", "metadata", group, key)
            is_restart = (group, key) == ("annotations", RESTARTED_AT)
            yield Leaf(("restartedAt",) if is_restart else ("podMetadata", group, key), value, (path,))


def _volume(volume: Json, step: str) -> Iterator[Leaf]:
    place, path = ("volumes", step), (*POD, "volumes", step)
    name, sources = volume["name"], (volume.get("projected") or {}).get("sources") or []
    if len(sources) > 1:
        rest = {key: value for key, value in volume["projected"].items() if key != "sources"}
        around = ((place, {"name": name}), ((*place, "projected"), rest))
        for index, source in steps_of(sources, {}).items():
            inner = ("projected", "sources", index)
            for leaf in _leaf(source, (*place, *inner), (*path, *inner)):
                yield Leaf(leaf.place, leaf.value, leaf.paths, leaf.reason, around)
        return
    size = (volume.get("emptyDir") or {}).get("sizeLimit")
    if size is not None:
        rest = {key: value for key, value in volume["emptyDir"].items() if key != "sizeLimit"}
        volume = {"name": name, "emptyDir": rest}
    yield from _leaf(volume, place, path)
    if size is not None:
        yield Leaf((*place, "emptyDir", "sizeLimit"), written(size), ((*path, "emptyDir", "sizeLimit"),))


def _init_container(container: Json, path: Path) -> Iterator[Leaf]:
    place = ("initContainers", f"[{container['name']}]")
    base = {name: container[name] for name in ("name", "image", "restartPolicy") if name in container}
    yield Leaf(place, base, (path,))
    yield from _container({name: value for name, value in container.items() if name not in base}, place, path)


def _container(container: Json, place: Path, path: Path) -> Iterator[Leaf]:
    yield from _resources(container.get("resources") or {}, place, (*path, "resources"))
    for step, port in _items(container, _CONTAINER, "ports"):
        inner = ("ports", step)
        base = {name: port[name] for name in ("containerPort", "protocol") if name in port}
        yield Leaf((*place, *inner), base, ((*path, *inner),))
        if "name" in port:
            yield Leaf((*place, *inner, "name"), port["name"], ((*path, *inner, "name"),))
    yield from _copied(container, Container, "Container", place, path)
    for name in ((container.get("securityContext") or {}).get("capabilities") or {}).get("add", []):
        added = ("capabilities", "add", f"[{name}]")
        yield Leaf((*place, *added), name, ((*path, "securityContext", *added),))


def _resources(given: Json, place: Path, path: Path) -> Iterator[Leaf]:
    """Yield the shortest fields for requests and limits."""
    requests, limits = given.get("requests") or {}, given.get("limits") or {}
    memory = limits.get("memory")
    is_short = limits.keys() <= {"memory"} and requests.keys() <= {"memory", "cpu"} and requests.get("memory") == memory
    for group, amounts in (("limits", limits), ("requests", requests)):
        for name, amount in amounts.items():
            paths: tuple[Path, ...] = ((*path, group, name),)
            where: Path = ("resources", group, name)
            if is_short and name == "cpu":
                where = ("cpu",)
            elif is_short:
                where, paths = ("memory",), ((*path, "limits", name), (*path, "requests", name))
            if is_short and name == "memory" and (group == "requests" or amount == quantity(DEFAULT_MEMORY)):
                continue
            yield Leaf((*place, *where), written(amount), paths)


def written(amount: str) -> str:
    """Return *amount* in a unit in which a spec can have it, if there is one."""
    units = ("Ti", "Gi", "Mi", "Ki", "") if amount.endswith("i") else ("T", "G", "M", "k", "", "m")
    size = amount_of(amount) or Fraction()
    counts = [(1000 * size / UNITS[unit], unit) for unit in units]
    forms = (f"{Decimal(int(count)) / 1000:f}{unit}" for count, unit in counts if count.denominator == 1)
    return next((form for form in (amount, *forms) if matches(SYNTAX, form)), amount)


def _security(pod: Json) -> Iterator[Leaf]:
    """Yield the profile, and the IDs of user and groups, that all containers have."""
    containers = {
        (*POD, group, f"[{each['name']}]"): each.get("securityContext") or {}
        for group in ("containers", "initContainers")
        for each in pod.get(group) or []
    }

    def common(name: str) -> Any:  # noqa: ANN401 - any JSON
        first, *others = (security.get(name) for security in containers.values())
        return first if all(other == first for other in others) else None

    user = common("runAsUser")
    drops = all((each.get("capabilities") or {}).get("drop") == ["ALL"] for each in containers.values())
    if common("runAsNonRoot") is True or (drops and isinstance(user, int) and user > 0):
        yield Leaf(("securityProfile",), "Restricted", ())
    for name in ("runAsUser", "runAsGroup"):
        if common(name) is not None:
            yield Leaf((name,), common(name), tuple((*path, "securityContext", name) for path in containers))


class Tree(msgspec.Struct):
    """A valid spec that grows."""

    name: str
    nodes: Json = msgspec.field(default_factory=dict)
    lost: list[Leaf] = msgspec.field(default_factory=list)
    """The leaves that a spec can't have, with their reasons."""

    @property
    def spec(self) -> Json:
        """The spec, with its fields in the order of the models."""
        made: Json = _as_json(self.nodes, spec_schema())
        return made

    def read(self) -> MyResourceSpec | InvalidSpec:
        """Return the spec as the API server judges a new one."""
        return read(self.name, msgspec.json.encode(self.spec), context=NEW)

    def grow(self, leaves: Iterable[Leaf]) -> None:
        """Add all of *leaves* that keep the spec valid, as many at a time as possible."""
        pending = [each for each in leaves if each.reason or not self._is_below_lost(each)]
        self.lost += [each for each in pending if each.reason]
        known = len(self.lost)
        self._grow([each for each in pending if not each.reason])
        # Once more: two ports that change places are valid only when the second one has changed.
        again, self.lost = self.lost[known:], self.lost[:known]
        self._grow([replace(each, reason="") for each in again])

    def _grow(self, leaves: list[Leaf]) -> None:
        if not leaves:
            return
        before, self.nodes = self.nodes, self._with(leaves)
        found = self.read()
        if not isinstance(found, InvalidSpec):
            return
        self.nodes = before
        if len(leaves) > 1:
            middle = len(leaves) // 2
            self._grow(leaves[:middle])
            self._grow([each for each in leaves[middle:] if not self._is_below_lost(each)])
            return
        (leaf,) = leaves
        self.lost.append(replace(leaf, reason=self._why(leaf, found)))

    def _with(self, leaves: list[Leaf]) -> Json:
        nodes = self.nodes
        for leaf in leaves:
            for place, value in leaf.around:
                nodes = nodes if _at(nodes, place) is not None else _put(nodes, place, value)
            nodes = _put(nodes, leaf.place, leaf.value)
        return nodes

    def _is_below_lost(self, leaf: Leaf) -> bool:
        """Tell whether *leaf* is a part of an item that is lost."""
        places = [each.place for each in self.lost if not each.around]
        return any(leaf.place[: len(place)] == place != leaf.place for place in places if place)

    def _why(self, leaf: Leaf, invalid: InvalidSpec) -> str:
        if leaf.place[-2:-1] == ("volumeMounts",) and f"[{leaf.value['name']}]" not in self.nodes.get("volumes", {}):
            return f"its volume {leaf.value['name']} is left out"
        path, message, is_predicate = problem_of(invalid)
        inner = _INDEX.sub("", path).removeprefix(f"spec.{fields_of(leaf.place)}").strip(".")
        if not inner or path.startswith(inner):
            return message
        return f"its {inner} {message}" if is_predicate else f"in its {inner}, {message}"


_INDEX = re.compile(r"\[\d+\]")
_SECONDS = re.compile(r"less than or equal to (\d+)$")
_PREDICATE = re.compile("(must|does|is) ")


def problem_of(invalid: InvalidSpec) -> tuple[str, str, bool]:
    """Return the path of what is invalid, why, and whether that lacks a subject, which is what stands at the path."""
    path, _, message = invalid.problem.partition(": ")
    message = message.replace("Required value", "is required")
    largest = _SECONDS.search(message)
    if largest and path.lower().endswith("seconds"):
        message = f"{message} ({int(largest[1]) // 3600} h)"
    return path, message, bool(_PREDICATE.match(message))


def _as_json(node: Any, schema: Schema) -> Any:  # noqa: ANN401 - any JSON
    """Return *node* as JSON, with lists, and the fields in the order of *schema*."""
    if isinstance(node, list):
        return [_as_json(item, schema.get("items", {})) for item in node]
    if not isinstance(node, dict):
        return node
    if node and all(key.startswith("[") for key in node):
        return [_as_json(item, schema.get("items", {})) for item in node.values()]
    fields = schema.get("properties", {})
    order = [*fields]
    names = sorted(node, key=lambda name: order.index(name) if name in order else len(order)) if fields else node
    return {name: _as_json(node[name], fields.get(name, {})) for name in names}


def _put(node: Any, place: Path, value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *node* with *value* at *place*."""
    if not place:
        return value
    step, *rest = place
    inner = node if isinstance(node, dict) else {}
    return {**inner, step: _put(inner.get(step, {}), tuple(rest), value)}


def _at(node: Any, place: Path) -> Any:  # noqa: ANN401 - any JSON
    for step in place:
        node = node.get(step) if isinstance(node, dict) else None
    return node
