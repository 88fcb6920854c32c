"""Judges an import: what is lost is said, what is said is lost, and for a true reason.

It knows the objects as an API server stores them, and nothing of how an import compares them.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from app.api.generated_schema import spec_schema
from app.cli.importing.comparison import Weight
from app.cli.importing.conversion import Imported, imported
from app.cli.importing.kubernetes import quantity
from tests.docs.documents import ROOT
from tests.requests.builders import Json, my_resource, sync
from tests.support.kubernetes_objects import HTTP_ROUTE, LABELS, ROOTS, Field, fields, value, with_field, zero

SCHEMA: Json = json.loads((ROOT / "app/cli/importing/kubernetes.json").read_text())
TYPES: Json = SCHEMA["types"]
KINDS = {**ROOTS, HTTP_ROUTE: "HTTPRoute"}
FIELDS = [each for each in fields(TYPES, KINDS) if "ephemeralContainers" not in each.path]
"""Of each kind. No Deployment has ephemeral containers."""

Store = Callable[[Json], Json | None]
Path = tuple[str, ...]

_MEANINGFUL = {"emptyDir", "labelSelector", "namespaceSelector", "selector", "preference", "image"}
"""Objects that mean something without a field."""
_DOCUMENTED: dict[str, Any] = {
    "allocateLoadBalancerNodePorts": True,
    "enableServiceLinks": True,
    "externalTrafficPolicy": "Cluster",
    "fsGroupChangePolicy": "Always",
    "hostUsers": True,
    "minDomains": 1,
    "mountPropagation": "None",
    "nodeAffinityPolicy": "Honor",
    "nodeTaintsPolicy": "Ignore",
    "operator": "Equal",
    "optional": False,
    "preemptionPolicy": "PreemptLowerPriority",
    "privileged": False,
    "procMount": "Default",
    "readOnlyRootFilesystem": False,
    "recursiveReadOnly": "Disabled",
    "runAsNonRoot": False,
    "seLinuxChangePolicy": "MountOption",
    "setHostnameAsFQDN": False,
    "shareProcessNamespace": False,
    "supplementalGroupsPolicy": "Merge",
    "unhealthyPodEvictionPolicy": "IfHealthyBudget",
}
"""Values that mean the same as none, though they are stored: in the words of Kubernetes, what a field defaults to."""

_NO_SENTENCE = re.compile(
    r"Required value|: its [\w.]+ (?!must |does |is )(?!\S+ is left out)|, as (must|does|is) |: .*: must .*; point"
)
"""A reason with the words of an API server's error, or whose verb has no subject or another one."""

_SHARED = ("runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile")
_ASSIGNED = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "nodePort", "healthCheckNodePort")


def values(each: Field) -> Iterator[tuple[str, Any]]:
    """Yield the values of each sort for a field."""
    yield "matters", value(TYPES, each.owner, each.name, each.type)
    yield "zero", zero(each.type)
    default = TYPES[each.owner].get("defaults", {}).get(each.name)
    if default is not None:
        yield "default", default


def stored(item: Json) -> Json:
    """Return *item* as an API server stores it, by what was recorded of one; tests/e2e compares it with a real one."""
    kept = {**item, "spec": _stored(item["spec"], TYPES[KINDS[item["apiVersion"], item["kind"]]]["fields"]["spec"])}
    if item["kind"] == "Deployment" and "spec" in kept["spec"].get("template", {}):
        pod = kept["spec"]["template"]["spec"]
        account = pod.get("serviceAccountName") or pod.get("serviceAccount")
        pod |= {"serviceAccountName": account, "serviceAccount": account} if account else {}
        for container in (*pod["containers"], *pod.get("initContainers", [])):
            tag = container.get("image", "").rpartition("/")[2]
            is_latest = ":" not in tag or tag.endswith(":latest")
            container.setdefault("imagePullPolicy", "Always" if is_latest and "@" not in tag else "IfNotPresent")
            if pod.get("hostNetwork") and "ports" in container:
                container["ports"] = [{"hostPort": each["containerPort"], **each} for each in container["ports"]]
    elif item["kind"] == "Service":
        address = kept["spec"].get("clusterIP", (kept["spec"].get("clusterIPs") or [None])[0])
        kept["spec"] |= {"clusterIP": address, "clusterIPs": [address]} if address else {}
        for port in kept["spec"].get("ports", []):
            port.setdefault("targetPort", port["port"])
    return kept


def _stored(given: Any, type_: Any) -> Any:
    shape = TYPES[type_[1:]] if isinstance(type_, str) and type_[0] == "#" else type_
    if type_ == "quantity":
        return quantity(given)
    if isinstance(given, list) and "items" in shape:
        return [_stored({} if item is None else item, shape["items"]) for item in given]
    if not isinstance(given, dict) or isinstance(shape, str):
        return given
    if "values" in shape:
        return {key: _stored(inner, shape["values"]) for key, inner in given.items()}
    read = {name: _stored(inner, shape["fields"][name]) for name, inner in given.items() if inner is not None}
    kept = {
        name: inner for name, inner in read.items() if inner not in (0, "", [], {}) or name in shape.get("kept", ())
    }
    return _with_defaults(kept, shape.get("defaults", {}))


def _with_defaults(given: Json, defaults: Json) -> Json:
    inner = {
        name: _with_defaults(given[name], default)
        for name, default in defaults.items()
        if isinstance(default, dict) and isinstance(given.get(name), dict)
    }
    filled = {**json.loads(json.dumps(defaults)), **given, **inner}
    if filled.get("type") == "Recreate":
        filled.pop("rollingUpdate", None)
    return filled


@dataclass
class Verdict:
    """What is wrong with an import of *given*."""

    given: Json
    result: Imported
    silent: list[str] = field(default_factory=list)
    """What is lost in silence."""
    false: list[str] = field(default_factory=list)
    """What is said and not so."""


def judge(deployment: Json, others: list[Json], store: Store = stored, container: str = "") -> list[Verdict]:
    """Return the verdicts on an import of *deployment* and *others*, of the objects that *store* accepts."""
    result = imported(deployment, others, (container,))
    said = result.said[Weight.LOST]
    no_sentences = [each for each in (*said, *result.said[Weight.CHANGED]) if _NO_SENTENCE.search(each)]
    if result.my_resource is None:
        return [Verdict(deployment, result, [] if said else ["everything"], no_sentences)]
    children = list(sync(my_resource(**result.my_resource["metadata"], spec=result.my_resource["spec"]))["children"])
    found = [Verdict(deployment, result, false=no_sentences)] if no_sentences else []
    for given in (deployment, *others):
        original = store(given)
        made = next((each for each in children if each["kind"] == given["kind"]), None)
        if original is None:
            continue
        _name_ports(given, original, deployment)
        about = "" if given is deployment else f"{given['kind']} {given['metadata']['name']}"
        if about and (given["kind"], given["metadata"]["name"]) not in result.mentioned:
            continue  # the command names it
        lines = _about(said, about)
        comments = _about(result.said[Weight.CHANGED], about)
        verdict = Verdict(given, result)
        stays = [each for each in comments if about and "stays as it is" in each]
        if stays or any("point it to" in each for each in lines) or (made is None and lines):
            found.append(verdict)  # as a whole, with a sentence
            continue
        rendered = {} if made is None else store(made) or {}
        if rendered:
            _name_ports(given, rendered, next(each for each in children if each["kind"] == "Deployment"))
        _judge(verdict, original, rendered, lines, comments)
        found.append(verdict)
    return found


def _about(said: list[str], subject: str) -> list[str]:
    kinds = tuple(f"{kind} " for _, kind in KINDS)
    if not subject:
        return [each for each in said if not each.startswith(kinds)]
    return [each.removeprefix(subject).removeprefix(": ").strip() for each in said if each.startswith(f"{subject}")]


def _judge(verdict: Verdict, original: Json, rendered: Json, lines: list[str], comments: list[str]) -> None:
    main = ""
    original, rendered = (json.loads(json.dumps(each)) for each in (original, rendered))
    if original["kind"] == "Deployment":
        original, rendered, main = _same_form(original, rendered)
    elif rendered:
        _same_target(original)
        _same_target(rendered)
    type_ = TYPES[KINDS[(rendered or original)["apiVersion"], original["kind"]]]["fields"]["spec"]
    given = {**dict(leaves(original["spec"], type_, ("spec",))), **_metadata(original)}
    made = {**dict(leaves(rendered.get("spec", {}), type_, ("spec",))), **_metadata(rendered)}
    differing = {path for path in given if made.get(path, "absent") != given[path]}
    differing = {path for path in differing if not _is_assigned(verdict.given, path)}
    lost = {path for path in differing if not _means_nothing(path, given[path])}
    paths = [line.partition(": ")[0] for line in lines]
    verdict.silent = [
        text(path)
        for path in lost
        if not any(_meets(text(path), each) for each in paths)
        and not any(_tells(each, text(path)) for each in comments)
    ]
    for line in lines:
        where, _, reason = line.partition(": ")
        if not any(_meets(text(path), where) for path in differing):
            verdict.false.append(line)
        if reason.startswith("each port of") and not where.endswith("]"):
            verdict.false.append(line)
        inner = reason.partition("no field for its ")[2].partition(",")[0]
        if "has no field" in reason and _has_field(f"{where}.{inner}".rstrip("."), main):
            verdict.false.append(line)


def _metadata(item: Json) -> dict[Path, Any]:
    """Return the metadata that a child can have; the labels and annotations of a Deployment are the MyResource's."""
    groups = ("finalizers",) if item.get("kind") == "Deployment" else ("labels", "annotations", "finalizers")
    found: dict[Path, Any] = {}
    for group in groups:
        for key in item.get("metadata", {}).get(group) or {}:
            values = item["metadata"][group]
            path = ("metadata", group, key) if isinstance(values, dict) else ("metadata", group)
            found[path] = values[key] if isinstance(values, dict) else values
    return found


def _name_ports(given: Json, original: Json, deployment: Json) -> None:
    """Put the numbers of the ports of *deployment* in place of their names in a Service."""
    if given["kind"] == "Service":
        pod = deployment["spec"]["template"]["spec"]
        ports = [
            port
            for each in (*pod["containers"], *(pod.get("initContainers") or []))
            for port in each.get("ports") or []
        ]
        names = {port.get("name"): port["containerPort"] for port in ports}
        for port in original["spec"].get("ports", []):
            port["targetPort"] = names.get(port["targetPort"], port["targetPort"])


def leaves(item: Any, type_: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the path of each scalar in *item*, as messages have it, and its value."""
    shape = TYPES[type_[1:]] if isinstance(type_, str) and type_[0] == "#" else type_
    if isinstance(item, dict) and item:
        for name, inner in item.items():
            below = shape["fields"][name] if "fields" in shape else shape.get("values", "string")
            yield from leaves(inner, below, (*path, name))
    elif isinstance(item, list) and item and path[-1] not in ("command", "args", "drop"):
        for index, inner in enumerate(item):
            keys = [inner.get(key) for key in shape["keys"]] if "keys" in shape else []
            label = "/".join(str(key) for key in keys if key not in ("TCP", None)) or str(index)
            label = str(inner) if isinstance(inner, str | int) else label
            yield from leaves(inner, shape["items"], (*path, f"[{label}]"))
    else:
        yield path, item


def _same_form(original: Json, rendered: Json) -> tuple[Json, Json, str]:
    """Return both with the name of the first container, and with what a Pod sets for its containers in each of them."""
    found = [original, rendered]
    names = [each["name"] for each in found[0]["spec"]["template"]["spec"]["containers"]]
    for each in found:
        each["spec"].pop("selector")
        pod = each["spec"]["template"]["spec"]
        pod.pop("serviceAccount", None)  # the old name of serviceAccountName, which is there, too
        moved = [container for container in pod.get("initContainers", []) if container["name"] in names]
        for container in moved:
            container.pop("restartPolicy", None)
            pod["initContainers"].remove(container)
        main = next((name for name in names if name not in [container["name"] for container in moved]), "")
        for container in pod["containers"]:
            container["name"] = main if container["name"] == "main" else container["name"]
        pod["containers"] += moved
        security = pod.get("securityContext", {})
        shared = {name: security.pop(name) for name in _SHARED if name in security}
        for container in (*pod["containers"], *pod.get("initContainers", [])):
            container["securityContext"] = {**shared, **container.get("securityContext", {})}
            _without_own_name(container, container["name"])
            for verb, names_ in container["securityContext"].get("capabilities", {}).items():
                plain = sorted(each.upper().removeprefix("CAP_") for each in names_)
                container["securityContext"]["capabilities"][verb] = ["ALL"] if "ALL" in plain else plain
        _without_own_name(pod.get("volumes", []), main)
    return found[0], found[1], names[0]


def _without_own_name(item: Any, name: str) -> None:
    """Remove the name of the container from references to its resources in *item*."""
    if isinstance(item, dict) and item.get("resourceFieldRef", {}).get("containerName") in ("main", name):
        del item["resourceFieldRef"]["containerName"]
    for inner in item.values() if isinstance(item, dict) else item if isinstance(item, list) else ():
        _without_own_name(inner, name)


def _same_target(item: Json) -> None:
    """Give *item* the form that it has for any Deployment: without selector, and with the metrics of a container."""
    spec = item["spec"]
    spec.pop("selector", None)
    spec.pop("scaleTargetRef", None)
    percentage = spec.pop("targetCPUUtilizationPercentage", None)
    if percentage:
        target = {"type": "Utilization", "averageUtilization": percentage}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    for metric in spec.get("metrics", []):
        if "resource" in metric:
            metric["type"], metric["containerResource"] = "ContainerResource", metric.pop("resource")
        if "containerResource" in metric:
            metric["containerResource"]["container"] = "main"


def _is_assigned(given: Json, path: Path) -> bool:
    """Tell whether the API server assigned the value at *path* of a Service, and its user did not."""
    parts = [given["spec"], *given["spec"].get("ports", [])]
    return given["kind"] == "Service" and path[-1] in _ASSIGNED and not any(part.get(path[-1]) for part in parts)


def _means_nothing(path: Path, given: Any) -> bool:
    if given == {}:
        return path[-1] not in _MEANINGFUL and path[-1][0] != "["
    if path[-2:] == ("metadata", "name") or (path[-1] in ("generateName", "namespace") and path[-2] == "metadata"):
        return "template" in path[1:2]
    if "ownerReferences" in path or path[-1].startswith(("kubectl.kubernetes.io/", "deployment.kubernetes.io/")):
        return True
    return path[-1] in _DOCUMENTED and _DOCUMENTED[path[-1]] == given


def text(path: Path) -> str:
    return "".join(step if step[0] == "[" else f".{step}" for step in path).removeprefix(".")


def _meets(path: str, other: str) -> bool:
    shorter, longer = sorted([path, other], key=len)
    of_pod = "spec.template.spec.securityContext."
    if shorter.startswith(of_pod) and longer.endswith(shorter.removeprefix(of_pod)):
        return True
    return longer.startswith(shorter) and longer[len(shorter) : len(shorter) + 1] in ("", ".", "[", " ")


def _tells(comment: str, path: str) -> bool:
    """Tell whether a *comment* is about *path*: one about a container names its memory, or what Restricted asks."""
    where, separator, words = comment.partition(": ")
    if not separator or where == path:
        return _meets(path, where)
    about = {"memory": ".resources", "capabilities": ".capabilities", "root": ".runAsNonRoot"}
    return _meets(path, where) and any(word in words and part in path for word, part in about.items())


def _has_field(where: str, main: str) -> bool:
    """Tell whether a spec has a field for what is at the path *where*."""
    if where.startswith("spec.template.spec.resources"):
        return False  # those of the Pod as a whole
    where = where.replace("spec.template.metadata.", "podMetadata.")
    steps = where.removeprefix("spec.template.spec.").removeprefix("spec.").replace("]", "").split(".")
    if steps[0] == "securityContext" and steps[-1] in spec_schema()["properties"]:
        return True
    node: Json | None = spec_schema()
    for step in steps:
        name, _, item = step.partition("[")
        if name == "containers":
            continue
        if "additionalProperties" in (node or {}):
            return True
        node = (node or {}).get("properties", {}).get(name)
        node = node and (node["items"] if item and "items" in node else node)
        if node is None:
            return False
    return bool(main)


def without(item: Json, path: tuple[str | int, ...]) -> Json:
    """Return *item* without what is at *path*."""
    copy: Json = json.loads(json.dumps(item))
    outer: Any = copy
    for step in path[:-1]:
        outer = outer[step]
    outer.pop(path[-1], None)
    return copy


def with_neighbours(each: Field, new: Any) -> tuple[Json, list[Json]]:
    """Return a Deployment and another object, one of which has *new* in the field."""
    item = with_field(TYPES, each, new)
    if each.kind == "Deployment":
        return item, []
    memory = {"memory": "128Mi"}
    container = {
        "name": "shop",
        "image": "shop:1",
        "ports": [{"containerPort": 8080}],
        "resources": {"requests": {**memory, "cpu": "1"}, "limits": memory},
    }
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": LABELS}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop"}, "spec": spec}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "shop"},
        "spec": {"selector": LABELS, "ports": [{"port": 80, "targetPort": 8080}]},
    }
    if each.kind in ("Ingress", "HTTPRoute"):
        return deployment, [{**item, "metadata": {"name": "route"}}, service]
    return deployment, [item]
