"""Reads a CompositeController or a DecoratorController, and refuses what is not simulated."""

from collections import Counter
from collections.abc import Iterable

from metahook.protocol.installation import UpdateMethod
from metahook.protocol.objects import Kind
from metahook.protocol.request_builder import Api
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN
from metahook.simulator.metacontroller.settings.hooks import HOOKS, HookSettings
from metahook.simulator.metacontroller.settings.selector import InvalidSelector, ParentResource, check_selector
from metahook.simulator.objects import Json

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
