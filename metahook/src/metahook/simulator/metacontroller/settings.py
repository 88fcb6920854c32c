"""A controller: the kinds of its parents and its children, and how Metacontroller treats them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from metahook.protocol.kind import Kind
from metahook.protocol.sender import Api
from metahook.simulator.apiserver.built_in_kinds import BUILT_IN
from metahook.simulator.metacontroller.hooks import STRICT, HookSettings
from metahook.simulator.metacontroller.selector import ParentResource
from metahook.simulator.metacontroller.update_methods import IN_PLACE, UpdateStrategy
from metahook.simulator.objects import Json

Mode = Literal["dynamic-apply", "server-side-apply"]
MODES: tuple[Mode, Mode] = ("dynamic-apply", "server-side-apply")

SERVED = BUILT_IN
"""The kinds that every cluster serves."""

WITHOUT_STATUS = {
    "CSIDriver", "CSINode", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "ControllerRevision", "EndpointSlice",
    "Endpoints", "Event", "IngressClass", "Lease", "LimitRange", "MutatingWebhookConfiguration", "NetworkPolicy",
    "PodTemplate", "PriorityClass", "Role", "RoleBinding", "RuntimeClass", "Secret", "ServiceAccount",
    "StorageClass", "ValidatingWebhookConfiguration",
}  # fmt: skip
"""The built-in kinds that have no status."""

REVISIONS = Kind("metacontroller.k8s.io/v1alpha1", "ControllerRevision", "controllerrevisions")
"""The kind of the revisions of parents, which Metacontroller keeps while it rolls children."""


class UnknownResource(LookupError):
    """Raised for a resource that the cluster does not serve. Its text names the resource."""


class NotSimulated(ValueError):
    """Raised for a controller that can't be simulated. Its text names the remedy."""


@dataclass(frozen=True)
class Settings:
    """The kinds and options of a simulated controller. ``resync_period`` is in seconds.

    ``label_selector`` and ``ignore_status_changes`` are those of parentResource; without a selector all parents match.
    A kind of children without an update strategy here has the method InPlace.
    """

    parent: Kind
    children: tuple[Kind, ...]
    mode: Mode = "dynamic-apply"
    resync_period: float = 600
    ignore_status_changes: bool = True
    label_selector: Json = field(default_factory=dict, hash=False)
    has_customize: bool = True
    served: tuple[Kind, ...] = SERVED
    update_strategies: Mapping[Kind, UpdateStrategy] = field(default_factory=dict, hash=False)
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
    revision_fields: tuple[str, ...] = ("spec",)
    """The fields of a parent of which Metacontroller keeps revisions, if an update method is a rolling one."""
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
        from metahook.simulator.metacontroller.controller_manifest import read  # noqa: PLC0415 - it imports this class

        return read(controller, tuple(crds), mode)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Kind]:
        return {(kind.api_version, kind.kind): kind for kind in self.kinds}

    @cached_property
    def _strategies(self) -> dict[tuple[str, str], UpdateStrategy]:
        return {_of_group(kind): strategy for kind, strategy in self.update_strategies.items()}

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """All kinds that the API server serves."""
        revisions = (REVISIONS,) if self.is_rolling else ()
        return frozenset((*(parent.kind for parent in self.parents), *self.children, *self.served, *revisions))

    @cached_property
    def parents(self) -> tuple[ParentResource, ...]:
        """The kinds of parents: one, or the resources of a DecoratorController."""
        return self.decorated or (ParentResource(self.parent, self.label_selector, {}, self.ignore_status_changes),)

    @cached_property
    def is_rolling(self) -> bool:
        """Whether children of some kind change one after another."""
        return any(strategy.is_rolling for strategy in self.update_strategies.values())

    def kind(self, api_version: str, kind: str) -> Kind | None:
        """Return the kind that the API server serves under this name, or None."""
        return self._by_name.get((api_version, kind))

    def has_status(self, item: Json) -> bool:
        """Tell whether the API server serves the status of *item* as a subresource."""
        return item["kind"] not in WITHOUT_STATUS

    def hook(self, name: str) -> HookSettings:
        """Return the version and the decoding of the hook *name*."""
        return self.hooks.get(name, STRICT)

    def update_strategy(self, kind: Kind) -> UpdateStrategy:
        """Return how children of *kind* are updated, in any version of its group."""
        return self._strategies.get(_of_group(kind), IN_PLACE)


def _of_group(kind: Kind) -> tuple[str, str]:
    return kind.api_version.rpartition("/")[0], kind.kind
