"""Records Kubernetes' schema of the kinds that an import reads, and what a real API server stores of them.

    GATEWAY_API_CRD=FILE python -m tests.support.recorded_schema

Run it after a new version of Kubernetes. It writes app/cli/importing/kubernetes.json, of each type: its ``fields``, the
``defaults`` that are set where a field is absent; the ``kept`` fields whose zero (false, 0, "", [] and {}) is a value,
and not the same as no value; and the ``unset`` values that mean the same as none. HTTPRoute is from the CRD of a
release of the Gateway API; without a FILE, it stays as it is.
"""

import json
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx

from metahook.envtest.cluster import documents
from tests.docs.documents import ROOT
from tests.support.kubernetes_objects import ROOTS, Json, fields, value, with_field, zero
from toolkit.built_in_kinds import built_in, recorded, text

FILE = ROOT / "app/cli/importing/kubernetes.json"
HTTP_ROUTE = "gateway.networking.k8s.io/v1"
OPTIONS = ("--allow-privileged=true",)

PLURALS = {
    "Deployment": "deployments",
    "Service": "services",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "Ingress": "ingresses",
}
_METADATA = ("annotations", "finalizers", "generateName", "labels", "name", "namespace", "ownerReferences")
"""The fields of metadata that a user writes."""
_CONDITIONAL = {
    "core.v1.Container": {"imagePullPolicy"},
    "core.v1.ContainerPort": {"hostPort"},
    "core.v1.ServicePort": {"targetPort", "nodePort"},
    "core.v1.ServiceSpec": {
        "allocateLoadBalancerNodePorts",
        "clusterIP",
        "clusterIPs",
        "externalTrafficPolicy",
        "healthCheckNodePort",
        "sessionAffinityConfig",
    },
    "apps.v1.DeploymentStrategy": {"rollingUpdate"},
    "autoscaling.v2.HPAScalingRules": {"policies", "selectPolicy", "stabilizationWindowSeconds"},
    "core.v1.PodSpec": {"serviceAccount", "serviceAccountName"},
    "core.v1.ImageVolumeSource": {"pullPolicy"},
}
"""Fields that depend on other ones, or on the state of the cluster. The code of the import knows them."""


_UNSET: dict[str, Any] = {
    "ConfigMapEnvSource.optional": False,
    "ConfigMapKeySelector.optional": False,
    "ConfigMapProjection.optional": False,
    "ConfigMapVolumeSource.optional": False,
    "PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": "IfHealthyBudget",
    "PodSecurityContext.fsGroupChangePolicy": "Always",
    "PodSecurityContext.runAsNonRoot": False,
    "PodSecurityContext.seLinuxChangePolicy": "MountOption",
    "PodSecurityContext.supplementalGroupsPolicy": "Merge",
    "PodSpec.enableServiceLinks": True,
    "PodSpec.hostUsers": True,
    "PodSpec.preemptionPolicy": "PreemptLowerPriority",
    "PodSpec.setHostnameAsFQDN": False,
    "PodSpec.shareProcessNamespace": False,
    "SecretEnvSource.optional": False,
    "SecretKeySelector.optional": False,
    "SecretProjection.optional": False,
    "SecretVolumeSource.optional": False,
    "SecurityContext.privileged": False,
    "SecurityContext.procMount": "Default",
    "SecurityContext.readOnlyRootFilesystem": False,
    "ServiceSpec.allocateLoadBalancerNodePorts": True,
    "ServiceSpec.externalTrafficPolicy": "Cluster",
    "Toleration.operator": "Equal",
    "TopologySpreadConstraint.minDomains": 1,
    "TopologySpreadConstraint.nodeAffinityPolicy": "Honor",
    "TopologySpreadConstraint.nodeTaintsPolicy": "Ignore",
    "VolumeMount.mountPropagation": "None",
    "VolumeMount.recursiveReadOnly": "Disabled",
}
"""Values that mean the same as none, though an API server stores them. The descriptions of the fields say so."""


def store(http: httpx.Client, item: Json) -> Json | None:
    """Return *item* as an API server would store it; None if it refuses it."""
    version = item["apiVersion"]
    path = f"/{'apis' if '/' in version else 'api'}/{version}/namespaces/default/{PLURALS[item['kind']]}"
    answer = http.post(path, params={"dryRun": "All"}, json=item)
    return answer.json() if answer.is_success else None


def at(item: Any, path: tuple[str | int, ...]) -> Any:
    """Return the value at *path* in *item*; None if there is none."""
    for step in path:
        if isinstance(step, int):
            item = item[step] if isinstance(item, list) and len(item) > step else None
        else:
            item = item.get(step) if isinstance(item, dict) else None
    return item


def schema_of(http: httpx.Client, http_route: Json) -> Json:
    """Return the schema of the API server behind *http*, with the types *http_route*."""
    document = built_in(http)
    types: Json = document["types"]
    types["apis.meta.v1.ObjectMeta"]["fields"] = {
        name: type_ for name, type_ in types["apis.meta.v1.ObjectMeta"]["fields"].items() if name in _METADATA
    }
    defaults: defaultdict[str, defaultdict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    kept: defaultdict[str, set[str]] = defaultdict(set)
    for field in fields(types, ROOTS):
        nothing = zero(field.type)
        tried = [with_field(types, field, new) for new in (value(types, field.owner, field.name, field.type), nothing)]
        stored = [store(http, item) for item in tried]
        for item, found_ in zip(tried, stored, strict=True):
            if found_ is not None:
                _note_defaults(types, f"#{ROOTS[field.api_version, field.kind]}", item, found_, defaults)
        left = at(stored[-1], field.path)
        if left == nothing or (left and isinstance(left, dict)):
            kept[field.owner].add(field.name)
    found: dict[str, Json] = {}
    pending = [*ROOTS.values(), "apis.meta.v1.ObjectMeta"]
    while pending:
        name = pending.pop()
        if name not in found:
            own = {field: values for field, values in defaults[name].items() if field not in _CONDITIONAL.get(name, ())}
            found[name] = {
                **types[name],
                **({"defaults": {field: values[0] for field, values in sorted(own.items())}} if own else {}),
                **({"kept": sorted(kept[name])} if kept[name] else {}),
                **({"unset": unset} if (unset := _unset(name)) else {}),
            }
            pending += _references(types[name])
    kinds = {f"{version} {kind}": name for (version, kind), name in ROOTS.items()}
    if http_route:
        kinds[f"{HTTP_ROUTE} HTTPRoute"] = "HTTPRoute"
    return {"version": document["version"], "kinds": kinds, "types": dict(sorted({**found, **http_route}.items()))}


def _note_defaults(types: Json, type_: Any, given: Any, stored: Any, found: Any) -> None:
    """Note in *found* the fields of *stored*, of *type_*, that *given* does not have, and those below it."""
    name = type_[1:] if isinstance(type_, str) and type_[0] == "#" else ""
    shape = types[name] if name else type_
    if not isinstance(shape, dict) or given is None or stored is None:
        return
    if "items" in shape:
        for index, item in enumerate(given):
            _note_defaults(types, shape["items"], item, stored[index], found)
    for field, inner in shape.get("fields", {}).items():
        if field in given:
            _note_defaults(types, inner, given[field], stored.get(field), found)
        elif stored.get(field) is not None and stored[field] not in found[name][field]:
            found[name][field].append(stored[field])


def _unset(name: str) -> Json:
    short = name.rpartition(".")[2]
    return {field.partition(".")[2]: no for field, no in _UNSET.items() if field.partition(".")[0] == short}


def undocumented(http: httpx.Client) -> list[str]:
    """Return the fields with a value that means the same as none whose descriptions do not say what none means."""
    texts: dict[str, str] = {}
    for path in http.get("/openapi/v3").json()["paths"].values():
        for name, schema in http.get(path["serverRelativeURL"]).json().get("components", {}).get("schemas", {}).items():
            for field, inner in schema.get("properties", {}).items():
                texts[f"{name.rpartition('.')[2]}.{field}"] = inner.get("description", "")
    return [
        field
        for field in _UNSET
        if not re.search("default|not set|not specified|nil|unset|must be defined", texts[field], re.IGNORECASE)
    ]


def _references(type_: Any) -> list[str]:
    if isinstance(type_, str):
        return [type_[1:]] if type_[0] == "#" else []
    inner = [*type_.get("fields", {}).values(), *(type_[name] for name in ("items", "values") if name in type_)]
    return [name for each in inner for name in _references(each)]


def of_crd(crd: Json) -> Json:
    """Return the types of the spec that *crd* declares, by their paths."""
    (schema,) = (each["schema"]["openAPIV3Schema"] for each in crd["spec"]["versions"] if each["name"] == "v1")
    found: Json = {}
    spec = _typed(schema["properties"]["spec"], "HTTPRoute.spec", found)
    return {"HTTPRoute": {"fields": {"spec": spec}}, **found}


def _typed(schema: Json, path: str, found: Json) -> Any:
    if schema.get("type") == "array":
        keys = schema.get("x-kubernetes-list-map-keys")
        return {"items": _typed(schema["items"], path, found), **({"keys": keys} if keys else {})}
    if "properties" in schema:
        inner = schema["properties"]
        defaults = {name: each["default"] for name, each in inner.items() if "default" in each}
        found[path] = {"fields": {name: _typed(each, f"{path}.{name}", found) for name, each in inner.items()}}
        found[path] |= {"defaults": defaults} if defaults else {}
        found[path] |= {"required": schema["required"]} if "required" in schema else {}
        found[path]["kept"] = sorted(inner)
        return f"#{path}"
    if "additionalProperties" in schema:
        return {"values": "string"}
    type_: str = schema.get("type", "string")
    return schema.get("format", "int64") if type_ == "integer" else type_


def http_route_types() -> Json:
    """Return the types of HTTPRoute, those that are recorded if no other CRD is given."""
    path = os.environ.get("GATEWAY_API_CRD")
    if path:
        crds = documents(Path(path))
        return of_crd(next(each for each in crds if each["metadata"]["name"].startswith("httproutes.")))
    known: Json = json.loads(FILE.read_text())["types"]
    return {name: type_ for name, type_ in known.items() if name.partition(".")[0] == "HTTPRoute"}


def main() -> None:
    """Write the file."""
    document = recorded(lambda http: schema_of(http, http_route_types()), *OPTIONS)
    FILE.write_text(text(document, json.dumps(document["kinds"])))
    print(f"{len(document['types'])} types in {FILE.name}")  # noqa: T201 - a command says what it did


if __name__ == "__main__":
    main()
