"""A controller: the kinds of its parents and its children, and how Metacontroller treats them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from metahook.protocol.installation import UpdateMethod
from metahook.protocol.objects import Kind
from metahook.protocol.request_builder import Api
from metahook.simulator.metacontroller.settings.hooks import STRICT, HookSettings
from metahook.simulator.metacontroller.settings.manifest import (
    CACHE_FLUSH,
    SERVED,
    api_of,
    gaps,
    handlers_of,
    kinds_of,
    parents_of,
    update_methods_of,
)
from metahook.simulator.metacontroller.settings.selector import ParentResource
from metahook.simulator.objects import Json

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


@dataclass(frozen=True)
class Settings:
    """The kinds and options of a simulated controller. ``resync_period`` is in seconds.

    ``label_selector`` and ``ignore_status_changes`` are those of parentResource; without a selector all parents match.
    A kind of children without an update method here has InPlace.
    """

    parent: Kind
    children: tuple[Kind, ...]
    mode: Mode = "dynamic-apply"
    resync_period: float = 600
    ignore_status_changes: bool = True
    label_selector: Json = field(default_factory=dict, hash=False)
    has_customize: bool = True
    served: tuple[Kind, ...] = SERVED
    update_methods: Mapping[Kind, UpdateMethod] = field(default_factory=dict, hash=False)
    crds: tuple[Json, ...] = field(default=(), hash=False)
    """The CRDs whose defaults the API server adds, and by whose schemas it prunes and refuses a status."""
    api: Api = "composite"
    name: str = "controller"
    has_sync: bool = True
    has_finalize: bool = False
    hooks: Mapping[str, HookSettings] = field(default_factory=dict, hash=False)
    """Version and decoding of each hook; one that is not here has v2 and strict decoding."""
    generate_selector: bool = True
    """Whether the children of a parent are those with its uid in a label; if not, ``spec.selector`` of the parent."""
    decorated: tuple[ParentResource, ...] = ()
    """The resources of a DecoratorController, of which ``parent`` is the first."""
    manifest: Json = field(default_factory=dict, hash=False, compare=False)
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
