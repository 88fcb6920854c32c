"""Reads a CompositeController or a DecoratorController as the settings of a simulated one."""

from collections import Counter
from collections.abc import Iterable

from metahook.protocol.kind import Kind
from metahook.protocol.sender import Api
from metahook.simulator.metacontroller.hooks import HOOKS, HookSettings
from metahook.simulator.metacontroller.selector import InvalidSelector, ParentResource, check_selector
from metahook.simulator.metacontroller.settings import SERVED, Mode, NotSimulated, Settings, UnknownResource
from metahook.simulator.metacontroller.update_methods import METHODS, Method, UpdateStrategy
from metahook.simulator.objects import Json

CACHE_FLUSH = 1800.0
"""Seconds: Metacontroller's ``--cache-flush-interval``, the resync period of a controller without one."""

_IN_TWO_GROUPS = {"Event"}
"""Built-in kinds whose objects are the same in two groups."""

_APIS: dict[str, Api] = {"CompositeController": "composite", "DecoratorController": "decorator"}


def read(controller: Json, crds: tuple[Json, ...], mode: Mode) -> Settings:
    """Return the settings of *controller*; see :meth:`Settings.read`."""
    spec, api = controller["spec"], _api(controller)
    served = (*SERVED, *(kind for crd in crds for kind in kinds_of(crd)))
    resources = spec.get("resources") or [] if api == "decorator" else [spec["parentResource"]]
    parents = tuple(_parent(each, served) for each in resources)
    path = "childResources" if api == "composite" else "attachments"
    listed = enumerate(spec.get(path) or [])
    children = {_served(child, served): _update_strategy(child, f"{path}[{index}]") for index, child in listed}
    hooks = {
        name: HookSettings.read(hook) for name, hook in (spec.get("hooks") or {}).items() if hook and name in HOOKS
    }
    if not parents:
        raise NotSimulated("spec.resources is empty: name a resource to decorate")
    if not hooks.keys() & {"sync", "finalize"}:
        raise NotSimulated("spec.hooks has neither sync nor finalize: add sync")
    first = parents[0]
    return Settings(
        first.kind,
        tuple(children),
        mode=mode,
        resync_period=min(spec.get("resyncPeriodSeconds") or CACHE_FLUSH, CACHE_FLUSH),
        ignore_status_changes=first.ignore_status_changes,
        label_selector=first.label_selector,
        has_customize="customize" in hooks,
        served=served,
        update_strategies=children,
        crds=crds,
        api=api,
        name=(controller.get("metadata") or {}).get("name") or "controller",
        has_sync="sync" in hooks,
        has_finalize="finalize" in hooks,
        hooks=hooks,
        generate_selector=spec.get("generateSelector") is True,
        decorated=parents if api == "decorator" else (),
        revision_fields=tuple((resources[0].get("revisionHistory") or {}).get("fieldPaths") or ["spec"]),
        manifest=controller,
        gaps=tuple(_gaps(spec, hooks, served)),
    )


def _api(controller: Json) -> Api:
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


def _update_strategy(resource: Json, path: str) -> UpdateStrategy:
    """Return the update strategy of a child; a child without one has Metacontroller's default."""
    strategy = resource.get("updateStrategy") or {}
    method: Method = strategy.get("method") or "OnDelete"
    if method not in METHODS:
        raise NotSimulated(f"spec.{path}.updateStrategy.method is not a method: set it to {', '.join(METHODS)}")
    return UpdateStrategy(method, tuple((strategy.get("statusChecks") or {}).get("conditions") or ()))


def _gaps(spec: Json, hooks: dict[str, HookSettings], served: Iterable[Kind]) -> Iterable[str]:
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
