"""What belongs to a Deployment: its Service, autoscaler, budget and route, as fields of the spec.

Each is made again by the operator, and is a field only if the made one is as the given one. What selects the Pods by
their labels, or leads to the Service by its name, otherwise stays as it is, and goes on working.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app import Json
from app.api.spec import MyResourceSpec
from app.api.values.names import GROUP
from app.cli.importing.comparison import Report, Weight, in_words, metadata_losses, sentence
from app.cli.importing.forms import autoscaling, ingress_address, leads_to, route_address, route_form, scaler_form
from app.cli.importing.meaning import kept_annotations
from app.cli.importing.schema import (
    ABSENT,
    Difference,
    differences,
    fields_of,
    format_path,
    items_of,
    spec_type,
    stored,
)
from app.cli.importing.tree import Leaf, Tree, problem_of
from app.core.child_metadata import labels as own_labels
from app.core.desired.children import OPTIONAL_CHILDREN
from app.core.desired.replicas import Replicas
from metahook import Parent

_ASSIGNED = {"clusterIP": None, "clusterIPs": None, "healthCheckNodePort": None, "ipFamilies": ["IPv4"]}
"""Fields of a Service in which an API server writes what a user leaves to it, and what counts as that."""

_CONFLICT = "while the old one exists, Ready is NameConflict: see Move a Deployment"
_MOST_NAMED = 3


@dataclass
class Neighbours:
    """The *objects* of the same namespace, for a Deployment with the Pod *labels*; fills *report*."""

    parent: Parent
    labels: dict[str, str]
    objects: list[Json]
    deployment: str
    """The name that the Deployment has."""
    main: str
    """The name that its container has."""
    numbers: dict[str, int]
    """The ports of all containers that have a name."""
    report: Report
    new_labels: dict[str, str] = field(default_factory=dict)
    """Those of the new Pods."""
    named: list[Json] = field(default_factory=list)
    """The objects about which there is a sentence."""
    carried: list[Json] = field(default_factory=list)
    """The objects that become a part of the MyResource."""

    def _of(self, kind: str) -> Iterator[Json]:
        return (each for each in self.objects if each["kind"] == kind)

    def _selects(self, selector: object) -> bool:
        return isinstance(selector, dict) and bool(selector) and selector.items() <= self.labels.items()

    def _leave(self, given: Json, selector: Json, why: str) -> None:
        """Say that *given* stays as it is, and why, if its *selector* is one for the new Pods, too."""
        what = f"{given['kind']} {given['metadata']['name']}"
        self.named.append(given)
        if selector.items() <= self.new_labels.items():
            self.report.say(Weight.CHANGED, f"{what} stays as it is, {why}")
        else:
            remedy = f"it does not select the new Pods: let it select myresource: {self.parent.name}"
            self.report.say(Weight.LOST, f"{what}: {remedy}")

    def service(self) -> Json | None:
        """Return the Service that becomes a part of the MyResource: the one of its name that selects the Pods."""
        selecting = [each for each in self._of("Service") if self._selects(each["spec"].get("selector"))]
        return next((each for each in selecting if each["metadata"]["name"] == self.parent.name), None)

    def service_leaves(self, own: Json | None, ports: list[Json]) -> Iterator[Leaf]:
        """Yield the ports and the settings of the Service; that there is none, if there is none beside *ports*."""
        if own is None:
            if ports:
                why = "no Service of this name is given; to get one, remove mode: Disabled"
                self.report.say(Weight.CHANGED, f"spec.service: {why}")
                yield Leaf(("service", "mode"), "Disabled", ())
            return
        subject = f"Service {own['metadata']['name']}"
        given = own["spec"]
        settings = {
            "type": given["type"] if given["type"] != "ClusterIP" else None,
            "clusterIP": "None" if given.get("clusterIP") == "None" else None,
            "sessionAffinity": given["sessionAffinity"] if given["sessionAffinity"] != "None" else None,
        }
        for place, setting in settings.items():
            if setting is not None:
                yield Leaf(("service", place), setting, (("spec", place),), subject=subject)
        for key, value in kept_annotations(own["metadata"]).items():
            origin = (("metadata", "annotations", key),)
            yield Leaf(("service", "annotations", key), value, origin, subject=subject)
        yield from self._port_leaves(given, ports, subject)

    def _port_leaves(self, given: Json, ports: list[Json], subject: str) -> Iterator[Leaf]:
        """Yield, for each port of the Service, the port of the Pods that it leads to, or what that one lacks."""
        steps = {(port["containerPort"], port.get("protocol", "TCP")): step for step, port in _steps(ports).items()}
        named = {step for step, port in _steps(ports).items() if "name" in port}
        taken, used = set(), {port.get("name") for port in ports}
        for step, each in items_of(given, "core.v1.ServiceSpec", "ports").items():
            number, path = self.number(each), ("spec", "ports", step)
            key = (number, each.get("protocol", "TCP"))
            if number is None or key in taken:
                continue
            taken.add(key)
            if key not in steps:
                base = {"containerPort": number, **({"protocol": key[1]} if key[1] != "TCP" else {})}
                ((steps[key], _),) = _steps([base]).items()
                yield Leaf(("ports", steps[key]), base, (path,), subject=subject)
            if each["port"] != number:
                yield Leaf(("ports", steps[key], "servicePort"), each["port"], (path,), subject=subject)
            is_default = each.get("name") == f"{key[1].lower()}-{number}"
            if each.get("name") and not is_default and each["name"] not in used and steps[key] not in named:
                yield Leaf(("ports", steps[key], "name"), each["name"], ((*path, "name"),), subject=subject)

    def number(self, port: Json) -> int | None:
        """Return the port of the Pods that the *port* of a Service leads to; None if none has its name."""
        target = port.get("targetPort") or port["port"]
        return self.numbers.get(target) if isinstance(target, str) else target

    def others_stay(self, own: Json | None) -> None:
        """Say of the Services that select the Pods, but for *own*, that they stay as they are."""
        for each in self._of("Service"):
            if each is not own and self._selects(each["spec"].get("selector")):
                self._leave(each, each["spec"]["selector"], "and selects the new Pods, too")

    def compare_service(self, own: Json, model: MyResourceSpec, lost: list[Leaf]) -> None:
        """Say how the Service of a valid spec is not as the one that is given."""
        self.carried.append(own)
        where, made = f"Service {self.parent.name}", self._made("Service", model)
        self.report.say(Weight.CHANGED, f"{where}: {_CONFLICT}")
        if made is None:
            self.report.say(Weight.LOST, f"{where}: it has no ports that a MyResource can have")
            return
        is_from_cluster = bool(own["metadata"].get("uid"))
        given = self._service(own["spec"], is_from_cluster=is_from_cluster)
        for found in differences(given, self._service(_with_numbers(made["spec"], model)), spec_type(own)):
            self._say_service(found, [leaf for leaf in lost if leaf.subject == where], where)
        for leaf in lost:
            if leaf.subject == where and leaf.paths[0][0] == "metadata":
                self.report.say(Weight.LOST, f"{where}: {sentence(leaf)}")
        for each in metadata_losses(own, ("labels", "annotations")):
            self.report.say(Weight.LOST, f"{where}: {each}")

    def propagate_labels(self, tree: Tree, labels: dict[str, str]) -> dict[str, str]:
        """Return *labels*, those of the MyResource, with those of the carried objects, which *tree* then propagates."""
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
                tree.grow([leaf])
                lost = next((each for each in tree.lost if each.subject == where and each.paths == (path,)), None)
                if lost:
                    self.report.say(Weight.LOST, f"{where}: {sentence(lost)}")
                else:
                    labels = {**labels, key: value}
        return labels

    def _say_service(self, found: Difference, lost: list[Leaf], where: str) -> None:
        leaf = next((each for each in lost if each.paths[0] in (found.path, found.path[:3])), None)
        if leaf:
            self.report.say(Weight.LOST, f"{where}: {sentence(leaf)}")
        elif found.path[-1] == "name":
            self.report.say(Weight.CHANGED, f"{where}: {format_path(found.path)} is {in_words(found.made)}")
        elif found.is_added:
            self.report.say(Weight.CHANGED, f"{where}: it has {format_path(found.path)}, too")
        else:
            self.report.say(Weight.LOST, f"{where}: {format_path(found.path)}: {_service_reason(found)}")

    def _service(self, spec: Json, *, is_from_cluster: bool = True) -> Json:
        """Return *spec* with numbers in place of names, and without what the API server assigned."""
        ports = [{**port, "targetPort": self.number(port) or port["targetPort"]} for port in spec.get("ports") or []]
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

    def add_others(self, tree: Tree) -> None:
        """Add autoscaler, budget and route to *tree*, if those that are given can be made."""
        for scaler in self._of("HorizontalPodAutoscaler"):
            target = scaler["spec"].get("scaleTargetRef") or {}
            if (target.get("kind"), target.get("name")) == ("Deployment", self.deployment):
                without = {name: value for name, value in tree.nodes.items() if name != "replicas"}
                wanted = {**without, "autoscaling": autoscaling(scaler_form(scaler["spec"], self.main))}
                self._try(tree, wanted, scaler, lambda spec: scaler_form(spec, self.main))
        for budget in self._of("PodDisruptionBudget"):
            if self._selects((budget["spec"].get("selector") or {}).get("matchLabels")):
                wanted = {**tree.nodes, "podDisruptionBudget": "Auto"}
                self._try(tree, wanted, budget, lambda spec: {**spec, "selector": None})
        for kind, expose in (("Ingress", ingress_address), ("HTTPRoute", route_address)):
            for route in self._of(kind):
                address = expose(route["spec"])
                if address and address.pop("service") == self.parent.name:
                    self._try(
                        tree, self._exposed(tree, address), route, partial(route_form, ports=self._service_ports())
                    )
                elif not address and leads_to(route["spec"], self.parent.name):
                    self._leave(route, {}, "as a MyResource has one host and one path")

    def _exposed(self, tree: Tree, address: Json) -> Json:
        """Return the spec with the *address* of a route, and the name of its port unless that is the first one."""
        port = self._port_number(address.pop("port"))
        tcp = [each for each in tree.spec.get("ports") or [] if each.get("protocol", "TCP") == "TCP"]
        for each in tcp[1:]:
            if port == each.get("servicePort", each["containerPort"]) and "name" in each:
                address["port"] = each["name"]
        return {**tree.nodes, "expose": {name: value for name, value in address.items() if value is not None}}

    def _try(self, tree: Tree, wanted: Json, given: Json, form: Callable[[Json], Any]) -> None:
        """Let *tree* be *wanted*, if that makes an object as the *given* one."""
        kind, name = given["kind"], given["metadata"]["name"]
        before, tree.nodes = tree.nodes, wanted
        problem, model = problem_of(tree.name, tree.spec), tree.model
        made = None if model is None else self._made(kind, model)
        found = [] if made is None else [*differences(form(given["spec"]), form(made["spec"]), spec_type(made))]
        paths = [format_path(each.path) for each in found]
        paths += [each.partition(":")[0] for each in metadata_losses(given, ("labels",))]
        if made is not None and not paths:
            self.carried.append(given)
            if name == self.parent.name:
                self.report.say(Weight.CHANGED, f"{kind} {name}: {_CONFLICT}")
            if kind == "HorizontalPodAutoscaler" and "replicas" in before:
                why = f"the autoscaler chooses the number of Pods, and begins with {made['spec'].get('minReplicas', 1)}"
                self.report.say(Weight.CHANGED, f"spec.replicas: {why}")
            return
        tree.nodes = before
        more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
        words = (problem or "").partition(": ")[2]
        why = f"a MyResource can't have its {', '.join(paths[:_MOST_NAMED])}{more}" if paths else _words(kind, words)
        if kind == "HorizontalPodAutoscaler":
            self.named.append(given)
            remedy = f"point it to Deployment {self.parent.name}-deployment"
            self.report.say(Weight.LOST, f"{kind} {name}: {why}; {remedy}")
        else:
            selector = (given["spec"].get("selector") or {}).get("matchLabels") or {}
            self._leave(given, selector, f"as {why}")

    def _made(self, kind: str, model: MyResourceSpec) -> Json | None:
        child = next(each for each in OPTIONAL_CHILDREN if each.kind.KIND.kind == kind)
        number = model.autoscaling.min_replicas if model.autoscaling else model.replicas
        replicas = Replicas(number, is_autoscaled=model.autoscaling is not None)
        made = child.manifest(self.parent, model, replicas) if child.wants(model) else None
        return made and {**made, "spec": stored(made).spec}

    def _service_ports(self) -> dict[str, int]:
        own = self.service()
        return {
            each["name"]: each["port"] for each in (own or {"spec": {}})["spec"].get("ports") or [] if "name" in each
        }

    def _port_number(self, port: object) -> object:
        return self._service_ports().get(port, port) if isinstance(port, str) else port


def _steps(ports: list[Json]) -> dict[str, Json]:
    return items_of({"ports": ports}, "core.v1.Container", "ports")


def _service_reason(found: Difference) -> str:
    if fields_of(found.path) == "spec.ports.nodePort":
        return "the API server chooses the port of the nodes"
    if fields_of(found.path) == "spec.ports" and found.made is ABSENT:
        return "each port of a MyResource has one port of the Service, and no two have the same number"
    if found.made is not ABSENT and not isinstance(found.made, dict | list):
        return f"that of a MyResource is {in_words(found.made)}"
    return "a MyResource has no field for it"


def _words(kind: str, problem: str) -> str:
    if problem:
        return problem
    return "there is one for more than one replica only" if kind == "PodDisruptionBudget" else "it has no such object"


def _with_numbers(service: Json, model: MyResourceSpec) -> Json:
    """Return the spec of the *service* of *model* with numbers in place of the names of its target ports."""
    numbers = {port.name: port.container_port for port in model.ports or []}
    ports = [{**port, "targetPort": numbers.get(port["name"], port["targetPort"])} for port in service["ports"]]
    return {**service, "ports": ports}
