"""The fields of a Deployment as leaves of a spec, each with where it comes from."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from app import Json
from app.api.pods.container import Container
from app.api.schema.reading import spec_schema
from app.api.schema.structural import Schema
from app.api.values.quantity import MINIMUM_MEMORY, MINIMUM_MESSAGE, SYNTAX
from app.api.values.scalar import matches
from app.cli.importing.schema import Path, amount_of, fields_of, items_of, quantity
from app.cli.importing.tree import Leaf
from app.core.child_metadata import RESTARTED_AT

_ORDER = ("image", "progressDeadlineSeconds", "terminationGracePeriodSeconds", "resources", "ports", "volumes")
"""The fields that others need, in this order; all others follow, and initContainers."""

_DIVIDED = {
    "imagePullSecrets", "volumes", "tolerations", "topologySpreadConstraints", "hostAliases", "affinity",
    "nodeAffinity", "podAffinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution", "dnsConfig", "nameservers", "searches", "options", "env",
    "envFrom", "volumeMounts", "lifecycle",
}  # fmt: skip
"""Fields whose parts mean something without one another."""

DEPLOYMENT_FIELDS = ("replicas", "strategy", "minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit")
POD_FIELDS = (
    "imagePullSecrets", "nodeSelector", "tolerations", "affinity", "topologySpreadConstraints", "priorityClassName",
    "serviceAccountName", "terminationGracePeriodSeconds", "dnsConfig", "hostAliases",
)  # fmt: skip
"""The fields of a Deployment, and of its Pods, that a spec has under the same name and in the same form."""

_OTHERWISE = {"image", "memory", "cpu", "resources", "readOnlyRootFilesystem", "capabilities"}
CONTAINER_FIELDS = tuple(
    str(each.alias) for each in Container.model_fields.values() if each.alias and each.alias not in _OTHERWISE
)
"""The same of a container."""

DEFAULT_MEMORY = Container.model_fields["memory"].default
_UNITS, _BINARY_UNITS = ("T", "G", "M", "k", "", "m"), ("Ti", "Gi", "Mi", "Ki", "")
POD: Path = ("spec", "template", "spec")
_KINDS = {"template": "core.v1.PodTemplateSpec", "pod": "core.v1.PodSpec", "container": "core.v1.Container"}


def leaves(spec: Json, main: str) -> list[Leaf]:
    """Return the leaves for the brief *spec* of a Deployment whose application runs in the container *main*."""
    template = spec["template"]
    pod: Json = template["spec"]
    sidecars = [{**each, "restartPolicy": "Always"} for each in pod["containers"] if each["name"] != main]
    (application,) = (each for each in pod["containers"] if each["name"] == main)
    found = [
        *_known(spec, DEPLOYMENT_FIELDS, (), ("spec",), "apps.v1.DeploymentSpec"),
        *_metadata(template.get("metadata") or {}),
        *_known(pod, POD_FIELDS, (), POD, _KINDS["pod"]),
        *(leaf for step, each in items_of(pod, _KINDS["pod"], "volumes").items() for leaf in _volume(each, step)),
        *_container(application, (), (*POD, "containers", f"[{main}]")),
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


def _known(value: Json, names: Iterable[str], place: Path, path: Path, kind: str) -> Iterator[Leaf]:
    for name in names:
        if name in value:
            yield from _divided(value[name], (*place, name), (*path, name), kind)


def _divided(value: Any, place: Path, path: Path, kind: str) -> Iterator[Leaf]:  # noqa: ANN401 - any JSON
    name = place[-1]
    if name not in _DIVIDED:
        yield from _leaf(value, place, path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _divided(inner, (*place, key), (*path, key), "")
    else:
        known = kind and name in ("imagePullSecrets", "topologySpreadConstraints", "hostAliases", "env", "volumeMounts")
        steps = items_of({name: value}, kind, name) if known else _numbered(value)
        for step, item in steps.items():
            yield from _leaf(item, (*place, step), (*path, step))


def _numbered(items: list[Any]) -> dict[str, Any]:
    return {f"[{item if isinstance(item, str) else index}]": item for index, item in enumerate(items)}


def _leaf(value: Any, place: Path, path: Path) -> Iterator[Leaf]:  # noqa: ANN401 - any JSON
    """Yield *value* as a leaf; a lost one if the spec has no field for a part of it."""
    schema: Schema | None = spec_schema()
    for step in place:
        schema = schema and (schema.get("items") if step.startswith("[") else schema.get("properties", {}).get(step))
    unknown = () if schema is None else next(_unknown(value, schema, ()), None)
    if schema is not None and unknown is None:
        yield Leaf(place, value, (path,))
    else:
        yield Leaf(
            place, value, (path, (*path, *(unknown or ()))), f"a MyResource has no field for {_words(unknown, place)}"
        )


def _words(unknown: Path | None, place: Path) -> str:
    if not unknown:
        return "it"
    is_source = place[0] == "volumes" and len(unknown) == 1
    return f"its {fields_of(unknown)}{'' if is_source else ', which changes what it means'}"


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
        for index, source in _numbered(sources).items():
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
    yield from _container(container, place, path)


def _container(container: Json, place: Path, path: Path) -> Iterator[Leaf]:
    if not place:
        yield Leaf(("image",), container.get("image", ""), ((*path, "image"),))
    yield from _resources(container.get("resources") or {}, place, (*path, "resources"))
    for step, port in items_of(container, _KINDS["container"], "ports").items():
        inner = ("ports", step)
        base = {name: port[name] for name in ("containerPort", "protocol") if name in port}
        yield Leaf((*place, *inner), base, ((*path, *inner),))
        if "name" in port:
            yield Leaf((*place, *inner, "name"), port["name"], ((*path, *inner, "name"),))
    yield from _known(container, CONTAINER_FIELDS, place, path, _KINDS["container"])
    security = container.get("securityContext") or {}
    if "readOnlyRootFilesystem" in security:
        yield Leaf((*place, "readOnlyRootFilesystem"), True, ((*path, "securityContext", "readOnlyRootFilesystem"),))  # noqa: FBT003 - it is the value
    for name in (security.get("capabilities") or {}).get("add", []):
        origin = (*path, "securityContext", "capabilities", "add", f"[{name}]")
        reason = (
            "" if name == "NET_BIND_SERVICE" else "the only capability that a MyResource can add is NET_BIND_SERVICE"
        )
        yield Leaf((*place, "capabilities", "add", f"[{name}]"), name, (origin,), reason)


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
            is_too_small = (group, name) == ("limits", "memory") and not _is_enough(amount)
            yield Leaf((*place, *where), written(amount), paths, MINIMUM_MESSAGE if is_too_small else "")


def _is_enough(memory: str) -> bool:
    return (amount_of(memory) or 0) >= (amount_of(MINIMUM_MEMORY) or 0)


def written(amount: str) -> str:
    """Return *amount* in a unit in which a spec can have it, if there is one."""
    number = amount_of(amount)
    units = _BINARY_UNITS if amount.endswith("i") else _UNITS
    counts = [] if number is None else [(1000 * number / (amount_of(f"1{unit}") or 1), unit) for unit in units]
    forms = (f"{Decimal(int(count)) / 1000:f}{unit}" for count, unit in counts if count.denominator == 1)
    return next((form for form in (amount, *forms) if matches(SYNTAX, form)), amount)


def _security(pod: Json) -> Iterator[Leaf]:
    """Yield the profile, and the IDs of user and groups, that all containers have."""
    containers = [*pod["containers"], *(pod.get("initContainers") or [])]
    each = [container.get("securityContext") or {} for container in containers]

    def common(name: str) -> Any:  # noqa: ANN401 - any JSON
        first = each[0].get(name)
        return first if all(security.get(name) == first for security in each) else None

    origins = {name: tuple(
        (*POD, group, f"[{container['name']}]", "securityContext", name)
        for group in ("containers", "initContainers") for container in pod.get(group) or []
    ) for name in ("runAsUser", "runAsGroup")}  # fmt: skip
    user = common("runAsUser")
    drops = all((security.get("capabilities") or {}).get("drop") == ["ALL"] for security in each)
    if common("runAsNonRoot") is True or (drops and isinstance(user, int) and user > 0):
        yield Leaf(("securityProfile",), "Restricted", ())
    for name, paths in origins.items():
        if common(name) is not None:
            yield Leaf((name,), common(name), paths)
    group = (pod.get("securityContext") or {}).get("fsGroup")
    if group is not None:
        yield Leaf(("fsGroup",), group, ((*POD, "securityContext", "fsGroup"),))
