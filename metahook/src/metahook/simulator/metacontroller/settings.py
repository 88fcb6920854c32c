"""The settings of a simulated controller: the kinds of its parents and children, and how Metacontroller treats them.

They are read from a CompositeController or a DecoratorController; what is not simulated is refused.

Source: Metacontroller 4.17, makeSelector in pkg/controller/composite; pkg/controller/decorator/selector.go.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from metahook.protocol.installation import UpdateMethod
from metahook.protocol.objects import Kind
from metahook.protocol.request_builder import Api, Version, matches
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN
from metahook.simulator.objects import Json, labels

HOOKS = ("sync", "customize", "finalize")


class HookSettings(Struct, frozen=True):
    """A hook as its controller declares it. *loose* responses may have unknown and repeated fields."""

    version: Version = "v2"
    loose: bool = False

    @classmethod
    def read(cls, hook: Json) -> "HookSettings":
        """Return the settings of *hook*, of a controller's ``spec.hooks``; without a version it is v1."""
        version: Version = hook.get("version") or "v1"
        mode = (hook.get("webhook") or {}).get("responseUnMarshallMode")
        return cls(version, (mode or ("loose" if version == "v1" else "strict")) == "loose")


STRICT = HookSettings()


LABEL = "controller-uid"
"""The label of generateSelector: the parent's uid."""

Selects = Callable[[Json], bool]
"""Tells whether an object has the labels of a selector."""

OPERATORS = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
"""The operators of a label selector, and whether they take values."""


class InvalidSelector(Exception):
    """Raised for a selector that can't be used: each sync fails."""


class ParentResource(Struct, frozen=True):
    """A kind of parents, and which of its objects are parents: those that both selectors match."""

    kind: Kind
    label_selector: Json = field(default_factory=dict)
    annotation_selector: Json = field(default_factory=dict)
    ignore_status_changes: bool = False

    def matches(self, parent: Json) -> bool:
        """Tell whether *parent*, an object of this kind, is a parent."""
        annotations = parent["metadata"].get("annotations")
        return matches(self.label_selector, labels(parent)) and matches(self.annotation_selector, annotations)


def generated_selector(parent: Json) -> Selects:
    uid = parent["metadata"]["uid"]
    return lambda item: labels(item).get(LABEL) == uid


def own_selector(parent: Json) -> Selects:
    """Return the ``spec.selector`` of *parent*; raise InvalidSelector."""
    selector = (parent.get("spec") or {}).get("selector")
    if selector is not None and not isinstance(selector, dict):
        raise InvalidSelector(f"can't get label selector from {parent['kind']} {parent['metadata']['name']}")
    if not selector or not (selector.get("matchLabels") or selector.get("matchExpressions")):
        raise InvalidSelector(".spec.selector must have either matchLabels, matchExpressions, or both")
    check_selector(selector)
    return lambda item: matches(selector, labels(item))


def check_selector(selector: Json) -> None:
    """Raise InvalidSelector for an operator that does not exist, or whose values don't fit."""
    for expression in selector.get("matchExpressions") or []:
        if OPERATORS.get(expression.get("operator")) is not bool(expression.get("values")):
            raise InvalidSelector(
                "a selector has an operator without values, or values for an operator that takes none"
            )


SERVED = BUILT_IN
"""The kinds that every cluster serves."""

METHODS: tuple[UpdateMethod, ...] = ("InPlace", "OnDelete", "Recreate")
"""The update methods that are simulated."""

_ROLLING = ("RollingInPlace", "RollingRecreate")

CACHE_FLUSH = 1800.0
"""Seconds: Metacontroller's ``--cache-flush-interval``, the resync period of a controller without one."""

_IN_TWO_GROUPS = {"Event"}
"""Built-in kinds whose objects are the same in two groups."""

_APIS: dict[str, Api] = {"CompositeController": "composite", "DecoratorController": "decorator"}


class UnknownResource(LookupError):
    """Raised for a resource that the cluster does not serve. Its text names the resource."""


class NotSimulated(ValueError):
    """Raised for a controller that can't be simulated. Its text names the remedy."""


def api_of(controller: Json) -> Api:
    """Return the API of *controller*; one without a kind is a CompositeController."""
    kind = controller.get("kind", "CompositeController")
    if kind not in _APIS:
        raise NotSimulated(f"{kind} is not a controller: pass a CompositeController or a DecoratorController")
    return _APIS[kind]


def kinds_of(crd: Json) -> list[Kind]:
    """Return the kind of *crd* in each of its versions that is served."""
    spec, names = crd["spec"], crd["spec"]["names"]
    is_namespaced = spec.get("scope") != "Cluster"
    served = [version["name"] for version in spec["versions"] if version.get("served") is not False]
    return [Kind(f"{spec['group']}/{name}", names["kind"], names["plural"], is_namespaced) for name in served]


def parents_of(spec: Json, api: Api, served: Iterable[Kind]) -> tuple[ParentResource, ...]:
    """Return the kinds of parents; raise NotSimulated if there is none."""
    resources = spec.get("resources") or [] if api == "decorator" else [spec["parentResource"]]
    if not resources:
        raise NotSimulated("spec.resources is empty: name a resource to decorate")
    return tuple(_parent(each, served) for each in resources)


def handlers_of(spec: Json) -> dict[str, HookSettings]:
    """Return the hooks that Metacontroller calls; raise NotSimulated if it has nothing to call."""
    hooks = {
        name: HookSettings.read(hook) for name, hook in (spec.get("hooks") or {}).items() if hook and name in HOOKS
    }
    if not hooks.keys() & {"sync", "finalize"}:
        raise NotSimulated("spec.hooks has neither sync nor finalize: add sync")
    return hooks


def update_methods_of(spec: Json, api: Api, served: Iterable[Kind]) -> dict[Kind, UpdateMethod]:
    """Return the kinds of children, and how each is updated; raise NotSimulated for another way."""
    path = "childResources" if api == "composite" else "attachments"
    listed = enumerate(spec.get(path) or [])
    return {_served(child, served): _update_method(child, f"{path}[{index}]") for index, child in listed}


def _parent(resource: Json, served: Iterable[Kind]) -> ParentResource:
    annotations = resource.get("annotationSelector") or {}
    selector = resource.get("labelSelector") or {}
    by_annotation = {"matchLabels": annotations.get("matchAnnotations") or {}}
    by_annotation["matchExpressions"] = annotations.get("matchExpressions") or []
    try:
        for each in (selector, by_annotation):
            check_selector(each)
    except InvalidSelector as error:
        raise NotSimulated(f"{resource['resource']}: {error}") from None
    return ParentResource(
        _served(resource, served),
        selector,
        by_annotation if annotations else {},
        bool(resource.get("ignoreStatusChanges")),
    )


def _update_method(resource: Json, path: str) -> UpdateMethod:
    """Return the update method of a child; a child without one has Metacontroller's default."""
    method: UpdateMethod = (resource.get("updateStrategy") or {}).get("method") or "OnDelete"
    problem = rolling_problem(method)
    if problem:
        raise NotSimulated(f"spec.{path}.updateStrategy.method is {problem}")
    if method not in METHODS:
        raise NotSimulated(f"spec.{path}.updateStrategy.method is not a method: set it to {', '.join(METHODS)}")
    return method


def rolling_problem(method: str) -> str | None:
    """Return why children with the update *method* are not simulated, and the remedy; None for another method.

    Source: Metacontroller 4.17, pkg/controller/composite/rolling_update.go: it looks children up by name, and keeps
    those of a namespaced parent by namespace and name.
    """
    if method not in _ROLLING:
        return None
    why = "with which Metacontroller 4.17 stalls after the first child of a namespaced parent"
    return f"{method}, {why}, so it is not simulated: set it to {method.removeprefix('Rolling')}"


def gaps(spec: Json, hooks: dict[str, HookSettings], served: Iterable[Kind]) -> Iterable[str]:
    """Yield what of the *spec* is simulated in another way than it works."""
    for name in hooks:
        if ((spec["hooks"][name].get("webhook") or {}).get("etag") or {}).get("enabled"):
            yield f"spec.hooks.{name}.webhook.etag is not simulated: each call gets a whole response."
    groups = {(kind.kind, kind.api_version.rpartition("/")[0]) for kind in served}
    for kind, count in Counter(kind for kind, _ in groups).items():
        if count > 1 and kind not in _IN_TWO_GROUPS:
            yield f"{kind} is a kind of several API groups: the simulator takes those of one name for the same object."


def _served(resource: Json, served: Iterable[Kind]) -> Kind:
    """Return the kind of *resource*, an API version and a plural; raise UnknownResource."""
    api_version, plural = resource["apiVersion"], resource["resource"]
    for kind in served:
        if (kind.api_version, kind.plural) == (api_version, plural):
            return kind
    raise UnknownResource(f"no {plural} in {api_version}: write the plural, and give the CRD of a custom resource")


Mode = Literal["dynamic-apply", "server-side-apply"]
"""The apply strategy of Metacontroller."""
MODES: tuple[Mode, Mode] = ("dynamic-apply", "server-side-apply")
"""Both apply strategies."""

WITHOUT_STATUS = {
    "CSIDriver", "CSINode", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "ControllerRevision", "EndpointSlice",
    "Endpoints", "Event", "IngressClass", "Lease", "LimitRange", "MutatingWebhookConfiguration", "NetworkPolicy",
    "PodTemplate", "PriorityClass", "Role", "RoleBinding", "RuntimeClass", "Secret", "ServiceAccount",
    "StorageClass", "ValidatingWebhookConfiguration",
}  # fmt: skip
"""The built-in kinds that have no status."""


class Settings(Struct, frozen=True, eq=False, dict=True):
    """The kinds and options of a simulated controller. ``resync_period`` is in seconds.

    ``label_selector`` and ``ignore_status_changes`` are those of parentResource; without a selector all parents match.
    A kind of children without an update method here has InPlace.
    """

    parent: Kind
    children: tuple[Kind, ...]
    mode: Mode = "dynamic-apply"
    resync_period: float = 600
    ignore_status_changes: bool = True
    label_selector: Json = field(default_factory=dict)
    has_customize: bool = True
    served: tuple[Kind, ...] = SERVED
    update_methods: Mapping[Kind, UpdateMethod] = field(default_factory=dict)
    crds: tuple[Json, ...] = ()
    """The CRDs whose defaults the API server adds, and by whose schemas it prunes and refuses a status."""
    api: Api = "composite"
    name: str = "controller"
    has_sync: bool = True
    has_finalize: bool = False
    hooks: Mapping[str, HookSettings] = field(default_factory=dict)
    """Version and decoding of each hook; one that is not here has v2 and strict decoding."""
    generate_selector: bool = True
    """Whether the children of a parent are those with its uid in a label; if not, ``spec.selector`` of the parent."""
    decorated: tuple[ParentResource, ...] = ()
    """The resources of a DecoratorController, of which ``parent`` is the first."""
    manifest: Json = field(default_factory=dict)
    """The controller's object, which each request contains."""
    gaps: tuple[str, ...] = ()
    """What the simulator does in another way than a real control plane, each as a sentence."""

    @classmethod
    def read(cls, controller: Json, crds: Iterable[Json] = (), mode: Mode = "dynamic-apply") -> "Settings":
        """Return the settings of *controller*, a CompositeController or a DecoratorController, given *crds*.

        Of the schemas of *crds*, the defaults are simulated, and most rules for a status. Raise UnknownResource, and
        NotSimulated for a controller that Metacontroller would not run, or with which a real control plane behaves in
        another way.
        """
        crds = tuple(crds)
        given: tuple[object, ...] = (controller, *crds)
        if others := {type(each).__name__ for each in given if not isinstance(each, dict)}:
            message = f"Settings.read takes objects, not a {min(others)}: read a file with yaml.safe_load"
            raise TypeError(message)
        spec, api = controller["spec"], api_of(controller)
        served = (*SERVED, *(kind for crd in crds for kind in kinds_of(crd)))
        parents, hooks = parents_of(spec, api, served), handlers_of(spec)
        children = update_methods_of(spec, api, served)
        first = parents[0]
        return cls(
            first.kind,
            tuple(children),
            mode=mode,
            resync_period=min(spec.get("resyncPeriodSeconds") or CACHE_FLUSH, CACHE_FLUSH),
            ignore_status_changes=first.ignore_status_changes,
            label_selector=first.label_selector,
            has_customize="customize" in hooks,
            served=served,
            update_methods=children,
            crds=crds,
            api=api,
            name=(controller.get("metadata") or {}).get("name") or "controller",
            has_sync="sync" in hooks,
            has_finalize="finalize" in hooks,
            hooks=hooks,
            generate_selector=spec.get("generateSelector") is True,
            decorated=parents if api == "decorator" else (),
            manifest=controller,
            gaps=tuple(gaps(spec, hooks, served)),
        )

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Kind]:
        return {(kind.api_version, kind.kind): kind for kind in self.kinds}

    @cached_property
    def _methods(self) -> dict[tuple[str, str], UpdateMethod]:
        return {_of_group(kind): method for kind, method in self.update_methods.items()}

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """All kinds that the API server serves."""
        return frozenset((*(parent.kind for parent in self.parents), *self.children, *self.served))

    @cached_property
    def parents(self) -> tuple[ParentResource, ...]:
        """The kinds of parents: one, or the resources of a DecoratorController."""
        return self.decorated or (ParentResource(self.parent, self.label_selector, {}, self.ignore_status_changes),)

    def kind(self, api_version: str, kind: str) -> Kind | None:
        """Return the kind that the API server serves under this name, or None."""
        return self._by_name.get((api_version, kind))

    def has_status(self, item: Json) -> bool:
        """Tell whether the API server serves the status of *item* as a subresource."""
        return item["kind"] not in WITHOUT_STATUS

    def hook(self, name: str) -> HookSettings:
        """Return the version and the decoding of the hook *name*."""
        return self.hooks.get(name, STRICT)

    def update_method(self, kind: Kind) -> UpdateMethod:
        """Return how children of *kind* are updated, in any version of its group."""
        return self._methods.get(_of_group(kind), "InPlace")


def _of_group(kind: Kind) -> tuple[str, str]:
    return kind.api_version.rpartition("/")[0], kind.kind
