"""What belongs to a Deployment: its Service, autoscaler, budget and route, as fields of the spec.

Each is made again by the operator, and is a field only if the made one is as the given one. What selects the Pods by
their labels, or leads to the Service by its name, otherwise stays as it is, and goes on working.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from app import Json
from app.api.names import CONTAINER, GROUP
from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from app.cli.importing.comparison import Report, Weight, in_words, metadata_losses, sentence
from app.cli.importing.kubernetes import (
    ABSENT,
    Difference,
    brief,
    differences,
    field_type,
    fields_of,
    format_path,
    kept_annotations,
    spec_type,
    steps_of,
    stored,
)
from app.cli.importing.translation import Leaf, Tree, problem_of
from app.core.child_metadata import labels as own_labels
from app.core.desired.children import OPTIONAL_CHILDREN
from app.core.desired.replicas import Replicas
from metahook import Parent

_ASSIGNED = {"clusterIP": None, "clusterIPs": None, "healthCheckNodePort": None, "ipFamilies": ["IPv4"]}
"""Fields of a Service in which an API server writes what a user leaves to it, and what counts as that."""

_UTILIZATION = {"cpu": "targetCPUUtilizationPercentage", "memory": "targetMemoryUtilizationPercentage"}
_CONFLICT = "while the old one exists, Ready is NameConflict: see Move a Deployment"
_MOST_NAMED = 3


class Neighbours(Struct, dict=True):
    """The *objects* in the namespace of the Deployment *manifest*: grows *tree*, and fills *report*."""

    parent: Parent
    manifest: Json
    main: str
    """The container of the application."""
    objects: list[Json]
    tree: Tree
    report: Report
    named: list[Json] = field(default_factory=list)
    """The objects about which there is a sentence."""
    carried: list[Json] = field(default_factory=list)
    """The objects that become a part of the MyResource."""

    def _of(self, kind: str) -> Iterator[Json]:
        return (each for each in self.objects if each["kind"] == kind)

    def _selects(self, selector: Json | None) -> bool:
        """Tell whether the label *selector*, or that of a Service in this form, is one for the Pods."""
        labels = self.manifest["spec"]["template"].get("metadata", {}).get("labels", {})
        return bool(selector) and _matches(selector or {}, labels)

    def _leave(self, given: Json, selector: Json, why: str) -> None:
        """Say that *given* stays as it is, and why, if its label *selector* is one for the new Pods, too."""
        what = f"{given['kind']} {given['metadata']['name']}"
        self.named.append(given)
        labels = {**self.tree.spec.get("podMetadata", {}).get("labels", {}), **own_labels(self.parent)}
        if _matches(selector, labels):
            self.report.say(Weight.CHANGED, f"{what} stays as it is, {why}")
        else:
            remedy = f"change its selector to myresource: {self.parent.name}"
            self.report.say(Weight.LOST, f"{what}: it does not select the new Pods; {remedy}")

    @cached_property
    def service(self) -> Json | None:
        """The Service that becomes a part of the MyResource: the one of its name that selects the Pods."""
        selecting = [each for each in self._of("Service") if self._selects(_of_service(each))]
        return next((each for each in selecting if each["metadata"]["name"] == self.parent.name), None)

    @cached_property
    def _service_ports(self) -> dict[str, int]:
        ports = self.service["spec"].get("ports", []) if self.service else []
        return {each["name"]: each["port"] for each in ports if "name" in each}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The ports of all containers that have a name."""
        pod = self.manifest["spec"]["template"]["spec"]
        ports = [
            port for each in (*pod["containers"], *pod.get("initContainers", [])) for port in each.get("ports", [])
        ]
        return {port["name"]: port["containerPort"] for port in reversed(ports) if "name" in port}

    def service_leaves(self) -> Iterator[Leaf]:
        """Yield the ports and the settings of the Service; that there is none, if there are ports without one."""
        ports = self.tree.spec.get("ports", [])
        if self.service is None:
            if ports:
                why = "no Service of this name is given; to get one, remove mode: Disabled"
                self.report.say(Weight.CHANGED, f"spec.service: {why}")
                yield Leaf(("service", "mode"), "Disabled", ())
            return
        subject = f"Service {self.parent.name}"
        given = self.service["spec"]
        chosen = brief(given, spec_type(self.service))
        for name in ("type", "clusterIP", "sessionAffinity"):
            if name in chosen and (name != "clusterIP" or chosen[name] == "None"):
                yield Leaf(("service", name), chosen[name], (("spec", name),), subject=subject)
        for key, value in kept_annotations(self.service["metadata"]).items():
            origin = (("metadata", "annotations", key),)
            yield Leaf(("service", "annotations", key), value, origin, subject=subject)
        yield from self._port_leaves(given, ports, subject)

    def _port_leaves(self, given: Json, ports: list[Json], subject: str) -> Iterator[Leaf]:
        """Yield, for each port of the Service, the port of the Pods that it leads to, or what that one lacks."""
        known = steps_of(ports, _PORTS)
        steps = {(port["containerPort"], port.get("protocol", "TCP")): step for step, port in known.items()}
        taken, used = set(), {port.get("name") for port in ports}
        for step, each in steps_of(given.get("ports", []), {"keys": ["port", "protocol"]}).items():
            number, path = self._number(each), ("spec", "ports", step)
            key = (number, each.get("protocol", "TCP"))
            if number is None or key in taken:
                continue
            taken.add(key)
            if key not in steps:
                base = {"containerPort": number, **({"protocol": key[1]} if key[1] != "TCP" else {})}
                (steps[key],) = steps_of([base], _PORTS)
                yield Leaf(("ports", steps[key]), base, (path,), subject=subject)
            if each["port"] != number:
                yield Leaf(("ports", steps[key], "servicePort"), each["port"], (path,), subject=subject)
            other_names = {*used, f"{key[1].lower()}-{number}", None}
            if each.get("name") not in other_names and "name" not in known.get(steps[key], {}):
                yield Leaf(("ports", steps[key], "name"), each["name"], ((*path, "name"),), subject=subject)

    def _number(self, port: Json) -> int | None:
        """Return the port of the Pods that the *port* of a Service leads to; None if none has its name."""
        target = port.get("targetPort") or port["port"]
        return self._numbers.get(target) if isinstance(target, str) else target

    def others_stay(self) -> None:
        for each in self._of("Service"):
            if each is not self.service and self._selects(_of_service(each)):
                self._leave(each, _of_service(each), "and selects the new Pods, too")

    def compare_service(self, model: MyResourceSpec) -> None:
        own = self.service
        if own is None:
            return
        self.carried.append(own)
        where, made = f"Service {self.parent.name}", self._made("Service", model)
        self.report.say(Weight.CHANGED, f"{where}: {_CONFLICT}")
        if made is None:
            self.report.say(Weight.LOST, f"{where}: it has no ports that a MyResource can have")
            return
        lost = [leaf for leaf in self.tree.lost if leaf.subject == where]
        given = self._service(own["spec"], is_from_cluster=bool(own["metadata"].get("uid")))
        for found in differences(given, self._service(_with_numbers(made["spec"], model)), spec_type(own)):
            self._say_service(found, lost, where)
        sentences = [sentence(leaf) for leaf in lost if leaf.paths[0][0] == "metadata"]
        for each in (*sentences, *metadata_losses(own, ("labels", "annotations"))):
            self.report.say(Weight.LOST, f"{where}: {each}")

    def _say_service(self, found: Difference, lost: list[Leaf], where: str) -> None:
        leaf = next((each for each in lost if each.paths[0] in (found.path, found.path[:3])), None)
        if leaf:
            self.report.say(Weight.LOST, f"{where}: {sentence(leaf)}")
        elif found.path[-1] == "name":
            self.report.say(Weight.CHANGED, f"{where}: {format_path(found.path)} is {in_words(found.made)}")
        elif found.is_added:
            self.report.say(Weight.CHANGED, f"{where}: it has {format_path(found.path)}, too")
        else:
            reason = self._unknown_target(found) or _service_reason(found)
            self.report.say(Weight.LOST, f"{where}: {format_path(found.path)}: {reason}")

    def _unknown_target(self, found: Difference) -> str:
        """Return that the Pods have no port of the name to which a port of the Service leads; empty if they have."""
        target = found.given.get("targetPort") if isinstance(found.given, dict) else None
        is_unknown = isinstance(target, str) and target not in self._numbers
        return f"no container has a port called {target}" if is_unknown else ""

    def _service(self, spec: Json, *, is_from_cluster: bool = True) -> Json:
        """Return *spec* with numbers in place of names, and without what the API server assigned."""
        ports = [{**port, "targetPort": self._number(port) or port["targetPort"]} for port in spec.get("ports") or []]
        kept = {name: value for name, value in spec.items() if name != "selector"}
        if kept["sessionAffinity"] == "ClientIP":
            kept.setdefault("sessionAffinityConfig", {"clientIP": {"timeoutSeconds": 10800}})
        if kept.get("clusterIPs") == [kept.get("clusterIP")]:
            del kept["clusterIPs"]
        if is_from_cluster:
            headless = {"clusterIP": "None"} if spec.get("clusterIP") == "None" else {}
            kept = {name: value for name, value in {**kept, **_ASSIGNED, **headless}.items() if value is not None}
            if spec.get("type") == "LoadBalancer":
                ports = [{name: value for name, value in port.items() if name != "nodePort"} for port in ports]
        return {**kept, "ports": ports}

    def propagate_labels(self, labels: dict[str, str]) -> dict[str, str]:
        """Return *labels*, those of the MyResource, with those of the carried objects, which it then propagates."""
        own = own_labels(self.parent)
        for each in self.carried:
            where = f"{each['kind']} {each['metadata']['name']}"
            for key, value in (each["metadata"].get("labels") or {}).items():
                path = ("metadata", "labels", key)
                reason = "" if labels.get(key, value) == value else "the Deployment has another value, and it has one"
                leaf = Leaf(("propagate", "labels", f"[{key}]"), key, (path,), reason, subject=where)
                if own.get(key) == value or key.startswith(f"{GROUP}/"):
                    continue
                if key in own:
                    self.report.say(Weight.CHANGED, f"{where}: {format_path(path)} is {own[key]}")
                    continue
                self.tree.grow([leaf])
                lost = next((each for each in self.tree.lost if each.subject == where and each.paths == (path,)), None)
                if lost:
                    self.report.say(Weight.LOST, f"{where}: {sentence(lost)}")
                else:
                    labels = {**labels, key: value}
        return labels

    def add_others(self) -> None:
        """Add autoscaler, budget and route to the tree, if those that are given can be made."""
        fields = {
            "HorizontalPodAutoscaler": self._with_autoscaling,
            "PodDisruptionBudget": self._with_budget,
            "Ingress": self._with_expose,
            "HTTPRoute": self._with_expose,
        }
        for kind, with_field in fields.items():
            for given in self._of(kind):
                wanted = with_field(given)
                if wanted is not None:
                    self._try(wanted, given)

    def _with_autoscaling(self, given: Json) -> Json | None:
        target = given["spec"].get("scaleTargetRef", {})
        if (target.get("kind"), target.get("name")) != ("Deployment", self.manifest["metadata"]["name"]):
            return None
        without = {name: value for name, value in self.tree.nodes.items() if name != "replicas"}
        return {**without, "autoscaling": _autoscaling(_scaler_form(given["spec"], self.main))}

    def _with_budget(self, given: Json) -> Json | None:
        if not self._selects(given["spec"].get("selector")):
            return None
        if "podDisruptionBudget" in self.tree.nodes:
            self._leave(given, given["spec"]["selector"], "and a Pod with two of them can't be evicted: delete one")
            return None
        return {**self.tree.nodes, "podDisruptionBudget": "Auto"}

    def _with_expose(self, given: Json) -> Json | None:
        """Return the spec with the address of a route, and the name of its port unless that is the first one."""
        address = _address(given)
        if address is None or address.pop("service") != self.parent.name:
            if address is None and _leads_to(given["spec"], self.parent.name):
                self._leave(given, {}, "as a MyResource has one host and one path")
            return None
        port = address.pop("port")
        port = self._service_ports.get(port, port)
        tcp = [each for each in self.tree.spec.get("ports", []) if each.get("protocol", "TCP") == "TCP"]
        for each in tcp[1:]:
            if port == each.get("servicePort", each["containerPort"]) and "name" in each:
                address["port"] = each["name"]
        kept = {name: value for name, value in address.items() if value is not None and (name, value) != ("path", "/")}
        return {**self.tree.nodes, "expose": kept}

    def _try(self, wanted: Json, given: Json) -> None:
        """Let the tree be *wanted*, if that makes an object as the *given* one."""
        kind, name = given["kind"], given["metadata"]["name"]
        before, self.tree.nodes = self.tree.nodes, wanted
        model = self.tree.read()
        made = None if isinstance(model, InvalidSpec) else self._made(kind, model)
        paths = [format_path(found.path) for found in self._differences(given, made)] if made else []
        paths += [each.partition(":")[0] for each in metadata_losses(given, ("labels",))]
        if made is not None and not paths:
            self.carried.append(given)
            if name == self.parent.name:
                self.report.say(Weight.CHANGED, f"{kind} {name}: {_CONFLICT}")
            elif kind == "PodDisruptionBudget":
                why = "delete it with the Deployment: a Pod with two budgets can't be evicted"
                self.report.say(Weight.CHANGED, f"{kind} {name}: {why}")
            if kind == "HorizontalPodAutoscaler" and "replicas" in before:
                why = f"the autoscaler chooses the number of Pods, and begins with {made['spec'].get('minReplicas', 1)}"
                self.report.say(Weight.CHANGED, f"spec.replicas: {why}")
            return
        self.tree.nodes = before
        more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
        why = f"a MyResource can't have its {', '.join(paths[:_MOST_NAMED])}{more}" if paths else _why_none(kind, model)
        if kind == "HorizontalPodAutoscaler":
            self.named.append(given)
            remedy = f"point it to Deployment {self.parent.name}-deployment"
            self.report.say(Weight.LOST, f"{kind} {name}: {why}; {remedy}")
        else:
            self._leave(given, given["spec"].get("selector") or {}, f"as {why}")

    def _form(self, kind: str, spec: Json) -> Json:
        """Return the *spec* of an object as it is compared."""
        if kind == "HorizontalPodAutoscaler":
            return _scaler_form(spec, self.main)
        return {**spec, "selector": None} if kind == "PodDisruptionBudget" else _route_form(spec, self._service_ports)

    def _differences(self, given: Json, made: Json) -> Iterator[Difference]:
        kind = given["kind"]
        return differences(self._form(kind, given["spec"]), self._form(kind, made["spec"]), spec_type(made))

    def _made(self, kind: str, model: MyResourceSpec) -> Json | None:
        child = next(each for each in OPTIONAL_CHILDREN if each.kind.KIND.kind == kind)
        number = model.autoscaling.min_replicas if model.autoscaling else model.replicas
        replicas = Replicas(number, is_autoscaled=model.autoscaling is not None)
        made = child.manifest(self.parent, model, replicas) if child.wants(model) else None
        return made and {**made, "spec": stored(made).spec}


def _of_service(service: Json) -> Json:
    """Return the selector of a *service* in the form of the others."""
    labels = service["spec"].get("selector")
    return {"matchLabels": labels} if labels else {}


def _matches(selector: Json, labels: Json) -> bool:
    """Tell whether the label *selector* is one for *labels*."""

    def holds(key: str, operator: str, values: list[str]) -> bool:
        if operator in ("In", "Exists"):
            return key in labels and (operator == "Exists" or labels[key] in values)
        return key not in labels or (operator == "NotIn" and labels[key] not in values)

    expressions = selector.get("matchExpressions") or []
    return (selector.get("matchLabels") or {}).items() <= labels.items() and all(
        holds(each["key"], each["operator"], each.get("values") or []) for each in expressions
    )


_PORTS = field_type("#core.v1.Container", "ports")


def _with_numbers(service: Json, model: MyResourceSpec) -> Json:
    """Return the spec of the *service* of *model* with numbers in place of the names of its target ports."""
    numbers = {port.name: port.container_port for port in model.ports or []}
    ports = [{**port, "targetPort": numbers.get(port["name"], port["targetPort"])} for port in service["ports"]]
    return {**service, "ports": ports}


def _service_reason(found: Difference) -> str:
    if fields_of(found.path) == "spec.ports.nodePort":
        return "the API server chooses the port of the nodes"
    if fields_of(found.path) == "spec.ports" and found.made is ABSENT:
        return "each port of a MyResource has one port of the Service, and no two have the same number"
    if found.made is not ABSENT and not isinstance(found.made, dict | list):
        return f"that of a MyResource is {in_words(found.made)}"
    return "a MyResource has no field for it"


def _why_none(kind: str, model: MyResourceSpec | InvalidSpec) -> str:
    if isinstance(model, InvalidSpec):
        path, message, is_predicate = problem_of(model)
        return f"{path} of a MyResource {message}" if is_predicate else message
    return "there is one for more than one replica only" if kind == "PodDisruptionBudget" else "it has no such object"


def _scaler_form(spec: Json, main: str) -> Json:
    """Return the *spec* of an autoscaler in one form for its versions, by container; *main* is the application's."""
    metrics = [dict(each) for each in spec.get("metrics") or []]
    if spec.get("targetCPUUtilizationPercentage"):
        target = {"type": "Utilization", "averageUtilization": spec["targetCPUUtilizationPercentage"]}
        metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": target}})
    for each in metrics:
        if "resource" in each:
            each["type"], each["containerResource"] = "ContainerResource", {**each.pop("resource"), "container": ""}
        if "containerResource" in each:
            inner = each["containerResource"]
            is_main = inner.get("container") in ("", main, CONTAINER)
            each["containerResource"] = {**inner, "container": CONTAINER if is_main else inner.get("container")}
    kept: Json = {name: spec[name] for name in ("minReplicas", "maxReplicas", "behavior") if name in spec}
    return {**kept, "metrics": sorted(metrics, key=str)}


def _route_form(value: Any, ports: dict[str, int]) -> Any:  # noqa: ANN401 - any JSON
    """Return the spec of a route, or a *value* in it, with numbers in place of the names of *ports*."""
    if isinstance(value, list):
        return [_route_form(each, ports) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"name"} and value["name"] in ports:
        return {"number": ports[value["name"]]}
    return {name: _route_form(inner, ports) for name, inner in value.items()}


def _autoscaling(scaler: Json) -> Json:
    """Return what an autoscaler, in its form, is in a spec."""
    targets = {}
    for metric in scaler.get("metrics") or []:
        resource = metric.get("containerResource") or {}
        target = (resource.get("target") or {}).get("averageUtilization")
        if resource.get("name") in _UTILIZATION and target:
            targets[_UTILIZATION[resource["name"]]] = target
    bounds: Json = {name: scaler[name] for name in ("minReplicas", "maxReplicas") if name in scaler}
    behavior = brief(scaler.get("behavior") or {}, "#autoscaling.v2.HorizontalPodAutoscalerBehavior")
    bounds = {name: value for name, value in bounds.items() if (name, value) != ("minReplicas", 1)}
    return {**bounds, **targets, **({"behavior": behavior} if behavior else {})}


def _leads_to(value: object, service: str, key: str = "") -> bool:
    if isinstance(value, list):
        return any(_leads_to(each, service, key) for each in value)
    if not isinstance(value, dict):
        return False
    is_backend = key in ("service", "backendRef", "backendRefs")
    return (is_backend and value.get("name") == service) or any(
        _leads_to(each, service, inner) for inner, each in value.items()
    )


def _address(route: Json) -> Json | None:
    """Return what an Ingress or an HTTPRoute of one path has in spec.expose, with its Service; None for others."""
    spec = route["spec"]
    try:
        (rule,) = spec["rules"]
        if route["kind"] == "Ingress":
            (path,) = rule["http"]["paths"]
            service, tls = path["backend"]["service"], spec.get("tls")
            return {
                "host": rule["host"],
                "path": path.get("path"),
                "tls": {name: value for name, value in tls[0].items() if name == "secretName"} if tls else None,
                "className": spec.get("ingressClassName"),
                "service": service["name"],
                "port": service["port"].get("number", service["port"].get("name")),
            }
        (gateway,), (host,), (backend,) = spec["parentRefs"], spec["hostnames"], rule["backendRefs"]
        (match,) = rule.get("matches") or [{}]
        return {
            "host": host,
            "path": match.get("path", {}).get("value"),
            "gateway": {name: gateway[name] for name in ("name", "namespace", "sectionName") if name in gateway},
            "service": backend["name"],
            "port": backend["port"],
        }
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
