"""The fields of a Deployment in canonical form as those of a spec, as far as the models of the API have them."""

import re
from collections.abc import Collection
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from app import Json
from app.api.pods.container import Container
from app.api.schema.reading import InvalidSpec, read, spec_schema
from app.api.schema.structural import Schema
from app.api.spec import MyResourceSpec
from app.api.values.labels import NOT_THE_PODS
from app.api.values.quantity import MINIMUM_MEMORY, SYNTAX, milli
from app.api.values.scalar import matches
from app.core.child_metadata import RESTARTED_AT

DEPLOYMENT_FIELDS = ("replicas", "strategy", "minReadySeconds", "progressDeadlineSeconds", "revisionHistoryLimit")
POD_FIELDS = (
    "imagePullSecrets",
    "volumes",
    "nodeSelector",
    "tolerations",
    "affinity",
    "topologySpreadConstraints",
    "priorityClassName",
    "serviceAccountName",
    "terminationGracePeriodSeconds",
    "dnsConfig",
    "hostAliases",
)
"""The fields of a Deployment, and of its Pods, that a spec has under the same name and in the same form."""

_OTHERWISE = {"memory", "cpu", "resources", "readOnlyRootFilesystem", "capabilities", "volumeMounts"}
CONTAINER_FIELDS = (
    *(str(field.alias) for field in Container.model_fields.values() if field.alias not in _OTHERWISE),
    "ports",
)
"""The same of a container."""

DEFAULT_MEMORY = Container.model_fields["memory"].default
_UNITS, _BINARY_UNITS = ("T", "G", "M", "k", ""), ("Ti", "Gi", "Mi", "Ki")
_MOST_PROBLEMS = 64
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class Valid(NamedTuple):
    """A valid *spec*, or None; *model* is what it was read to, and *problems* are those of what was left out of it."""

    spec: Json | None
    model: MyResourceSpec | None
    problems: list[str]


def translated(deployment: Json) -> Json:
    """Return the spec for a *deployment* in canonical form. It has what can be said, and may be invalid."""
    template = deployment["template"]
    pod: Json = template["spec"]
    (main,) = pod["containers"]
    others = pod.get("initContainers") or []
    spec = {
        **_known(deployment, DEPLOYMENT_FIELDS),
        **_known(pod, POD_FIELDS),
        **_container(main, CONTAINER_FIELDS),
        "initContainers": [_container(each, ("name", *CONTAINER_FIELDS, "restartPolicy")) for each in others],
        "podMetadata": _metadata(template.get("metadata") or {}),
        "restartedAt": ((template.get("metadata") or {}).get("annotations") or {}).get(RESTARTED_AT),
        **_security(pod, [main, *others]),
    }
    return {name: value for name, value in spec.items() if value not in ([], {}, None)}


def _known(value: Json, names: Collection[str]) -> Json:
    """Return the fields *names* of *value* as far as a spec has what is in them."""
    schema = spec_schema()["properties"]
    return {name: _projected(value[name], schema[name]) for name in names if name in value}


def _projected(value: Any, schema: Schema) -> Any:  # noqa: ANN401 - any JSON
    """Return *value* without the fields that *schema* does not have, and without items of which nothing is left."""
    if isinstance(value, dict) and "properties" in schema:
        fields = schema["properties"]
        return {name: _projected(inner, fields[name]) for name, inner in value.items() if name in fields}
    if isinstance(value, list) and "items" in schema:
        return [left for item in value if (left := _projected(item, schema["items"])) != {}]
    return value


def _container(container: Json, names: Collection[str]) -> Json:
    schema = spec_schema()["properties"]["initContainers"]["items"]["properties"]
    security = container.get("securityContext") or {}
    adds = [name for name in (security.get("capabilities") or {}).get("add", []) if name == "NET_BIND_SERVICE"]
    fields = {
        **{name: _projected(container[name], schema[name]) for name in names if name in container},
        **_resources(container.get("resources") or {}),
        "volumeMounts": _projected(container.get("volumeMounts") or [], schema["volumeMounts"]),
        "readOnlyRootFilesystem": security.get("readOnlyRootFilesystem"),
        "capabilities": {"add": adds} if adds else {},
    }
    return {name: value for name, value in fields.items() if value not in ([], {}, None)}


def _resources(given: Json) -> Json:
    """Return the shortest fields for requests and limits."""
    requests = _writable(given.get("requests") or {})
    limits = _startable(_writable(given.get("limits") or {}))
    memory = limits.get("memory")
    if limits.keys() <= {"memory"} and requests.keys() <= {"memory", "cpu"} and requests.get("memory") == memory:
        return {"memory": None if memory == DEFAULT_MEMORY else memory, "cpu": requests.get("cpu")}
    return {"resources": {name: value for name, value in (("requests", requests), ("limits", limits)) if value}}


def _writable(amounts: Json) -> Json:
    return {name: _written(amount) for name, amount in amounts.items()}


def _written(amount: Any) -> Any:  # noqa: ANN401 - what a user wrote
    """Return *amount* in another unit, if a spec can't have it: the API server stores 1024.25Mi as 1048832Ki."""
    try:
        thousandths = milli(amount)
    except ValueError:
        return amount
    units = _BINARY_UNITS if str(amount).endswith("i") else _UNITS
    forms = (f"{Decimal(thousandths) / milli(f'1{unit}'):f}{unit}" for unit in units)
    return next((form for form in (str(amount), *forms) if matches(SYNTAX, form)), amount)


def _startable(limits: Json) -> Json:
    """Return *limits* without one of memory with which no container starts."""
    try:
        is_enough = milli(limits.get("memory", MINIMUM_MEMORY)) >= milli(MINIMUM_MEMORY)
    except ValueError:
        is_enough = True
    return {name: amount for name, amount in limits.items() if is_enough or name != "memory"}


def _metadata(metadata: Json) -> Json:
    kept = {
        field: {key: value for key, value in (metadata.get(field) or {}).items() if NOT_THE_PODS.holds({key: value})}
        for field in ("labels", "annotations")
    }
    return {field: values for field, values in kept.items() if values}


def _security(pod: Json, containers: list[Json]) -> Json:
    """Return the profile, and the IDs of user and groups, that all containers have."""
    each = [container.get("securityContext") or {} for container in containers]

    def common(name: str) -> Any:  # noqa: ANN401 - any JSON
        first = each[0].get(name)
        return first if all(security.get(name) == first for security in each) else None

    user = common("runAsUser")
    drops = all((security.get("capabilities") or {}).get("drop") == ["ALL"] for security in each)
    is_restricted = common("runAsNonRoot") is True or (drops and isinstance(user, int) and user > 0)
    return {
        "securityProfile": "Restricted" if is_restricted else None,
        "runAsUser": user,
        "runAsGroup": common("runAsGroup"),
        "fsGroup": (pod.get("securityContext") or {}).get("fsGroup"),
    }


def valid(name: str, spec: Json) -> Valid:
    """Return *spec*, of a MyResource called *name*, without what is invalid in it."""
    problems: list[str] = []
    for _ in range(_MOST_PROBLEMS):
        spec = _in_order(_with_volumes(spec))
        found = read(name, msgspec.json.encode(spec))
        if not isinstance(found, InvalidSpec):
            return Valid(spec, found, problems)
        problems.append(found.problem)
        changed = _without(spec, spec_schema(), _steps(found.problem.partition(": ")[0]))
        if changed is None:
            break
        spec = changed
    return Valid(None, None, problems)


def _in_order(spec: Json) -> Json:
    """Return *spec* with its fields in the order of the models."""
    order = [*spec_schema()["properties"]]
    return {name: spec[name] for name in sorted(spec, key=order.index) if spec[name] != {}}


def _with_volumes(spec: Json) -> Json:
    """Return *spec* without volumes of no source, and without mounts of volumes that it does not have."""
    volumes = [_sized(each) for each in spec.get("volumes") or [] if len(each) > 1]
    names = [each.get("name") for each in volumes]

    def mounted(container: Json) -> Json:
        mounts = [each for each in container.get("volumeMounts") or [] if each.get("name") in names]
        others = {name: value for name, value in container.items() if name != "volumeMounts"}
        return {**others, "volumeMounts": mounts} if mounts else others

    changed = {name: value for name, value in mounted(spec).items() if name != "volumes"}
    if volumes:
        changed["volumes"] = volumes
    if "initContainers" in spec:
        changed["initContainers"] = [mounted(each) for each in spec["initContainers"]]
    return changed


def _sized(volume: Json) -> Json:
    if not (volume.get("emptyDir") or {}).get("sizeLimit"):
        return volume
    return {**volume, "emptyDir": {**volume["emptyDir"], "sizeLimit": _written(volume["emptyDir"]["sizeLimit"])}}


def _steps(path: str) -> list[str | int]:
    """Return the steps of a *path* such as ``spec.env[3].name``, without the first one."""
    return [int(index) if index else name for name, index in _STEP.findall(path)][1:]


def _without(node: Any, schema: Schema, steps: list[str | int]) -> Any:  # noqa: ANN401 - any JSON
    """Return *node* without the smallest part around *steps* that it need not have; None if there is no such part."""
    if not steps:
        return None
    step, *rest = steps
    inner = schema["items"] if isinstance(step, int) else schema["properties"][step]
    is_there = len(node) > step if isinstance(node, list) and isinstance(step, int) else step in node
    less = _without(node[step], inner, rest) if is_there and rest else None
    if less is not None:
        return [*node[:step], less, *node[step + 1 :]] if isinstance(step, int) else {**node, step: less}
    if not is_there or step in schema.get("required", []):
        return None
    return [*node[:step], *node[step + 1 :]] if isinstance(step, int) else {k: v for k, v in node.items() if k != step}
