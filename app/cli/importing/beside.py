"""What belongs to a Deployment: its Service, autoscaler, budget and route, as fields of the spec.

Each is made again by the operator, and is a field only if the made one is as the given one. What selects the Pods by
their labels, or leads to the Service by its name, otherwise stays as it is, and goes on working.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app import Json
from app.api.schema.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from app.api.values.names import CONTAINER
from app.cli.importing.canonical import kept_annotations, tidy
from app.cli.importing.differences import differences
from app.core.child_metadata import labels as own_labels
from app.core.desired.children import OPTIONAL_CHILDREN
from app.core.desired.replicas import Replicas
from metahook import Manifest, Parent

_ASSIGNED = ("clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort", "selector")
"""Fields of a Service that the API server chooses, and the selector."""

_AFFINITY = {"clientIP": {"timeoutSeconds": 10800}}
_CONFLICT = "while the old one exists, Ready is NameConflict: see Move a Deployment"
_NOT_ALL = "as a MyResource can't say all that it does"
_UTILIZATION = {"cpu": "targetCPUUtilizationPercentage", "memory": "targetMemoryUtilizationPercentage"}


@dataclass
class Beside:
    """The *objects* of the same namespace, for a Deployment with the Pod *labels*; fills *comments* and *lost*."""

    parent: Parent
    labels: dict[str, str]
    objects: list[Json]
    deployment: str
    """The name that the Deployment has."""
    main: str
    """The name that its container has."""
    numbers: dict[str, int]
    """The ports of all containers that have a name."""
    new_labels: dict[str, str] = field(default_factory=dict)
    """Those of the new Pods."""
    service_ports: dict[str, int] = field(default_factory=dict)
    """The ports of its Service that have a name."""
    comments: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def with_service(self, spec: Json) -> Json:
        """Return *spec* with the ports and the settings of its Service; without one if there is none of its name."""
        selecting = [each for each in self._of("Service") if self._selects(each["spec"].get("selector"))]
        own = next((each for each in selecting if each["metadata"]["name"] == self.parent.name), None)
        self.new_labels = {**spec.get("podMetadata", {}).get("labels", {}), **own_labels(self.parent)}
        for each in selecting:
            if each is not own:
                self._leave(each, each["spec"]["selector"], "and selects the new Pods, too")
        if own is None and spec.get("ports"):
            self.comments.append("spec.service: no Service of this name is given; to get one, remove mode: Disabled")
            return {**spec, "service": {"mode": "Disabled"}}
        if own is None:
            return spec
        given = own["spec"]
        self.service_ports = {each["name"]: each["port"] for each in given.get("ports") or [] if each.get("name")}
        settings = {
            "type": given.get("type") if given.get("type") != "ClusterIP" else None,
            "clusterIP": "None" if given.get("clusterIP") == "None" else None,
            "sessionAffinity": given.get("sessionAffinity") if given.get("sessionAffinity") != "None" else None,
            "annotations": kept_annotations(own["metadata"]) or None,
        }
        service = {name: value for name, value in settings.items() if value is not None}
        return {**spec, "ports": self._ports(spec, given), **({"service": service} if service else {})}

    def _leave(self, given: Json, selector: Json, why: str) -> None:
        """Say that *given* stays as it is, and why, if its *selector* is one for the new Pods, too."""
        what = f"{given['kind']} {given['metadata']['name']}"
        if selector.items() <= self.new_labels.items():
            self.comments.append(f"{what} stays as it is, {why}")
        else:
            self.lost.append(f"{what}: it does not select the new Pods: let it select myresource: {self.parent.name}")

    def _ports(self, spec: Json, service: Json) -> list[Json]:
        ports = [dict(port) for port in spec.get("ports") or []]
        for each in service.get("ports") or []:
            number = self._number(each)
            port = next((port for port in ports if port["containerPort"] == number), None)
            if number is None or (port and "servicePort" in port):
                continue
            if port is None:
                port = {"containerPort": number, **{name: each[name] for name in ("protocol",) if name in each}}
                ports.append(port)
            port["servicePort"] = each["port"]
            if each.get("name") and each["name"] not in [other.get("name") for other in ports]:
                port.setdefault("name", each["name"])
        return [
            {name: value for name, value in port.items() if (name, value) != ("servicePort", port["containerPort"])}
            for port in ports
        ]

    def _number(self, port: Json) -> int | None:
        target = port.get("targetPort") or port["port"]
        return self.numbers.get(target) if isinstance(target, str) else target

    def compare_service(self, model: MyResourceSpec) -> None:
        """Say how the Service of a valid spec is not as the given one."""
        own = [each for each in self._of("Service") if each["metadata"]["name"] == self.parent.name]
        own = [each for each in own if self._selects(each["spec"].get("selector"))]
        made = self._made("Service", model)
        for given in own:
            where = f"Service {self.parent.name}"
            self.comments.append(f"{where}: {_CONFLICT}")
            if made is None:
                self.lost.append(f"{where}: it has no ports that a MyResource can have")
                continue
            for found in differences(self._service(given["spec"]), self._service(_with_numbers(made["spec"], model))):
                if found.names[-1] == "name":
                    self.comments.append(f"{where}: {found} is {found.made}")
                elif found.is_added:
                    self.comments.append(f"{where}: it has {found}, too")
                else:
                    self.lost.append(f"{where}: {found}: the operator's Service has no such value")
            extra = (given["metadata"].get("labels") or {}).keys() - own_labels(self.parent).keys()
            if extra:
                self.comments.append(f"{where}: it has no label {', '.join(sorted(extra))}: see spec.propagate")

    def _service(self, spec: Json) -> Json:
        ports = [{**port, "targetPort": self._number(port) or port["targetPort"]} for port in spec.get("ports") or []]
        if spec.get("type") == "LoadBalancer":
            ports = [{name: value for name, value in port.items() if name != "nodePort"} for port in ports]
        kept = {name: value for name, value in spec.items() if name not in _ASSIGNED}
        if kept.get("clusterIP") != "None":
            kept.pop("clusterIP", None)
        if kept.get("sessionAffinityConfig") == _AFFINITY:
            del kept["sessionAffinityConfig"]
        found: Json = tidy({"spec": {**kept, "ports": ports}})["spec"]
        return found

    def with_others(self, spec: Json) -> Json:
        """Return the valid *spec* with autoscaler, budget and route, if those that are given can be made."""
        for scaler in self._of("HorizontalPodAutoscaler"):
            target = scaler["spec"].get("scaleTargetRef") or {}
            if (target.get("kind"), target.get("name")) == ("Deployment", self.deployment):
                without = {name: value for name, value in spec.items() if name != "replicas"}
                wanted = {**without, "autoscaling": _autoscaling(self._scaler(scaler["spec"]))}
                spec = self._tried(spec, wanted, scaler, self._scaler)
        for budget in self._of("PodDisruptionBudget"):
            if self._selects((budget["spec"].get("selector") or {}).get("matchLabels")):
                spec = self._tried(spec, {**spec, "podDisruptionBudget": "Auto"}, budget, _budget)
        for kind, expose in (("Ingress", _ingress_address), ("HTTPRoute", _route_address)):
            for route in self._of(kind):
                address = expose(route["spec"])
                if address and address.pop("service") == self.parent.name:
                    spec = self._tried(spec, self._exposed(spec, address), route, self._route)
                elif not address and _leads_to(route["spec"], self.parent.name):
                    self._leave(route, {}, _NOT_ALL)
        return spec

    def _exposed(self, spec: Json, address: Json) -> Json:
        """Return *spec* with the *address* of a route, and the name of its port unless that is the first one."""
        port = self._port_number(address.pop("port"))
        tcp = [each for each in spec.get("ports") or [] if each.get("protocol", "TCP") == "TCP"]
        for each in tcp[1:]:
            if port == each.get("servicePort", each["containerPort"]) and "name" in each:
                address["port"] = each["name"]
        return {**spec, "expose": {name: value for name, value in address.items() if value is not None}}

    def _tried(self, spec: Json, wanted: Json, given: Json, form: Callable[[Json], Any]) -> Json:
        """Return the spec *wanted*, if it makes an object as the *given* one; otherwise *spec*."""
        kind, name = given["kind"], given["metadata"]["name"]
        model = read(self.parent.name, msgspec.json.encode(wanted))
        made = None if isinstance(model, InvalidSpec) else self._made(kind, model)
        is_same = made is not None and form(made["spec"]) == form(given["spec"])
        if is_same and not (kind in ("Ingress", "HTTPRoute") and kept_annotations(given["metadata"])):
            if name == self.parent.name:
                self.comments.append(f"{kind} {name}: {_CONFLICT}")
            return wanted
        if kind == "HorizontalPodAutoscaler":
            why = model.problem if isinstance(model, InvalidSpec) else "spec.autoscaling can't say all that it does"
            self.lost.append(f"{kind} {name}: {why}; point it to Deployment {self.parent.name}-deployment")
        else:
            selector = (given["spec"].get("selector") or {}).get("matchLabels") or {}
            self._leave(given, selector, _NOT_ALL)
        return spec

    def _made(self, kind: str, model: MyResourceSpec) -> Manifest | None:
        child = next(each for each in OPTIONAL_CHILDREN if each.kind.KIND.kind == kind)
        number = model.autoscaling.min_replicas if model.autoscaling else model.replicas
        replicas = Replicas(number, is_autoscaled=model.autoscaling is not None)
        return child.manifest(self.parent, model, replicas) if child.wants(model) else None

    def _of(self, kind: str) -> Iterator[Json]:
        return (each for each in self.objects if each["kind"] == kind)

    def _selects(self, selector: object) -> bool:
        return isinstance(selector, dict) and bool(selector) and selector.items() <= self.labels.items()

    def _scaler(self, spec: Json) -> Json:
        """Return the *spec* of an autoscaler in one form for its versions, by container."""
        metrics = [dict(each) for each in spec.get("metrics") or [] if isinstance(each, dict)]
        if spec.get("targetCPUUtilizationPercentage"):
            target = {"type": "Utilization", "averageUtilization": spec["targetCPUUtilizationPercentage"]}
            metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": target}})
        for each in metrics:
            if isinstance(each.get("resource"), dict):
                each["type"], each["containerResource"] = "ContainerResource", {**each.pop("resource"), "container": ""}
            if isinstance(each.get("containerResource"), dict):
                inner = each["containerResource"]
                is_main = inner.get("container") in ("", self.main, CONTAINER)
                each["containerResource"] = {**inner, "container": CONTAINER if is_main else inner.get("container")}
        kept = {name: spec[name] for name in ("minReplicas", "maxReplicas", "behavior") if name in spec}
        found: Json = tidy({"spec": {**kept, "metrics": sorted(metrics, key=str)}})["spec"]
        return found

    def _route(self, spec: Json) -> Any:  # noqa: ANN401 - any JSON
        """Return the *spec* of a route with the defaults of the API server, and with the number of its port."""
        spec = msgspec.json.decode(msgspec.json.encode(spec))
        for rule in spec.get("rules") or []:
            for path in (rule.get("http") or {}).get("paths") or []:
                port = path["backend"]["service"]["port"]
                path["backend"]["service"]["port"] = {"number": self._port_number(port.get("number", port.get("name")))}
            rule.setdefault("matches", [{"path": {"type": "PathPrefix", "value": "/"}}] if "http" not in rule else None)
            for backend in rule.get("backendRefs") or []:
                backend.update({"group": "", "kind": "Service", "weight": 1} | backend)
        for parent in spec.get("parentRefs") or []:
            parent.update({"group": "gateway.networking.k8s.io", "kind": "Gateway"} | parent)
        return tidy(spec)

    def _port_number(self, port: object) -> object:
        return self.service_ports.get(port, port) if isinstance(port, str) else port


def _with_numbers(service: Json, model: MyResourceSpec) -> Json:
    """Return the spec of the *service* of *model* with the numbers of its target ports in place of their names."""
    numbers = {port.name: port.container_port for port in model.ports or []}
    return {
        **service,
        "ports": [{**port, "targetPort": numbers.get(port["name"], port["targetPort"])} for port in service["ports"]],
    }


def _autoscaling(scaler: Json) -> Json:
    targets = {}
    for metric in scaler.get("metrics") or []:
        resource = metric.get("containerResource") or {}
        target = (resource.get("target") or {}).get("averageUtilization")
        if resource.get("name") in _UTILIZATION and target:
            targets[_UTILIZATION[resource["name"]]] = target
    bounds: Json = {name: scaler[name] for name in ("minReplicas", "maxReplicas") if name in scaler}
    return {**bounds, **targets, **({"behavior": scaler["behavior"]} if scaler.get("behavior") else {})}


def _budget(spec: Json) -> Json:
    return {name: value for name, value in tidy(spec).items() if name != "selector"}


def _leads_to(value: object, service: str, key: str = "") -> bool:
    """Tell whether a backend in *value*, which is at *key* of a route, is *service*."""
    if isinstance(value, list):
        return any(_leads_to(each, service, key) for each in value)
    if not isinstance(value, dict):
        return False
    is_backend = key in ("service", "backendRef", "backendRefs")
    return (is_backend and value.get("name") == service) or any(
        _leads_to(each, service, inner) for inner, each in value.items()
    )


def _ingress_address(spec: Json) -> Json | None:
    """Return what an Ingress of one path has for spec.expose, with its Service; None if it has another form."""
    try:
        (rule,) = spec["rules"]
        (path,) = rule["http"]["paths"]
        service = path["backend"]["service"]
        tls = spec.get("tls") or [None]
        return {
            "host": rule["host"],
            "path": None if path.get("path", "/") == "/" else path["path"],
            "tls": None if tls[0] is None else {name: tls[0][name] for name in ("secretName",) if name in tls[0]},
            "className": spec.get("ingressClassName"),
            "service": service["name"],
            "port": service["port"].get("number", service["port"].get("name")),
        }
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def _route_address(spec: Json) -> Json | None:
    """Return the same of an HTTPRoute."""
    try:
        (gateway,), (host,), (rule,) = spec["parentRefs"], spec["hostnames"], spec["rules"]
        (backend,) = rule["backendRefs"]
        (match,) = rule.get("matches") or [{}]
        path = match.get("path", {}).get("value", "/")
        return {
            "host": host,
            "path": None if path == "/" else path,
            "gateway": {name: gateway[name] for name in ("name", "namespace", "sectionName") if name in gateway},
            "service": backend["name"],
            "port": backend["port"],
        }
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
