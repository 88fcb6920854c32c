"""metahook: Metacontroller hooks in Python. A hook is a pure function; metahook does everything around it.

    commands   the door for another command line: a program bound to one controller
    cli        the command metahook, which tries any hook without a cluster
    testing    parents that Hypothesis generates from a CRD, and fixtures for pytest
    envtest    runs controllers on a real control plane with Metacontroller, for tests
    record     records the requests to a hook, as a proxy in front of it
    server     serves controllers over HTTP: limits, health, refusals
    simulator  a cluster with Metacontroller in it, in memory, on a virtual clock
    kinds      Deployment, Service, Ingress, HTTPRoute, PodDisruptionBudget, HorizontalPodAutoscaler, ConfigMap, Secret,
               Pod and Namespace as observed
    protocol   Metacontroller's requests and responses, drift, repair, stale requests, and the gate to the cluster

The rule of this package: it knows no kind of parent, and imports nothing of the operator that uses it. Imports point
down this list; the server and the simulator do not know each other.

Nouns: a *controller* is what a hook author writes, *serve* runs it. Each package has its own in its docstring.

Each name is imported at its first use, by ``door``. All need msgspec alone, but ``hook_router``, ``serve``, ``Address``
and ``ServerOptions``, which need the extra ``server``; ``extras`` has what to install for a package that is missing.
"""

from typing import TYPE_CHECKING

from metahook.door import opener

if TYPE_CHECKING:
    from metahook.kinds.config_map import ConfigMap as ConfigMap
    from metahook.kinds.deployment import Deployment as Deployment
    from metahook.kinds.deployment import DeploymentStatus as DeploymentStatus
    from metahook.kinds.deployment import rolled_out as rolled_out
    from metahook.kinds.horizontal_pod_autoscaler import HorizontalPodAutoscaler as HorizontalPodAutoscaler
    from metahook.kinds.http_route import HTTPRoute as HTTPRoute
    from metahook.kinds.ingress import Ingress as Ingress
    from metahook.kinds.namespace import Namespace as Namespace
    from metahook.kinds.namespace import NamespaceStatus as NamespaceStatus
    from metahook.kinds.pod import ContainerStatus as ContainerStatus
    from metahook.kinds.pod import Pod as Pod
    from metahook.kinds.pod import PodStatus as PodStatus
    from metahook.kinds.pod import Terminated as Terminated
    from metahook.kinds.pod_disruption_budget import PodDisruptionBudget as PodDisruptionBudget
    from metahook.kinds.secret import Secret as Secret
    from metahook.kinds.service import Service as Service
    from metahook.protocol.bodies.bodies import MAX_RESYNC as MAX_RESYNC
    from metahook.protocol.bodies.bodies import RelatedRule as RelatedRule
    from metahook.protocol.bodies.malformed import MalformedRequest as MalformedRequest
    from metahook.protocol.bodies.reading import try_read as try_read
    from metahook.protocol.bodies.reading import try_read_fields as try_read_fields
    from metahook.protocol.bodies.reading import try_read_list as try_read_list
    from metahook.protocol.checks.gate import RefusedResponse as RefusedResponse
    from metahook.protocol.checks.generation import children_from_newer_generation as children_from_newer_generation
    from metahook.protocol.checks.generation import generation_stamp as generation_stamp
    from metahook.protocol.checks.generation import is_from_newer_generation as is_from_newer_generation
    from metahook.protocol.checks.generation import with_generation_stamp as with_generation_stamp
    from metahook.protocol.checks.misuse import MisusedController as MisusedController
    from metahook.protocol.checks.purity import ImpureHook as ImpureHook
    from metahook.protocol.controller import Controller as Controller
    from metahook.protocol.controller import Decorator as Decorator
    from metahook.protocol.controller import Handler as Handler
    from metahook.protocol.crd.custom_resource import crd as crd
    from metahook.protocol.drift.drifted_fields import drifted_field as drifted_field
    from metahook.protocol.drift.drifted_fields import overridden_field as overridden_field
    from metahook.protocol.drift.drifted_fields import overriding_manager as overriding_manager
    from metahook.protocol.drift.drifted_fields import with_observed_values as with_observed_values
    from metahook.protocol.drift.leftovers import ForeignField as ForeignField
    from metahook.protocol.drift.leftovers import foreign_fields as foreign_fields
    from metahook.protocol.drift.leftovers import leftovers as leftovers
    from metahook.protocol.drift.removal import Removal as Removal
    from metahook.protocol.drift.removal import removal as removal
    from metahook.protocol.drift.repair import Resend as Resend
    from metahook.protocol.drift.repair import was_resent as was_resent
    from metahook.protocol.drift.repair import with_repair as with_repair
    from metahook.protocol.installation import InstallationProblem as InstallationProblem
    from metahook.protocol.installation import UpdateMethod as UpdateMethod
    from metahook.protocol.objects.conditions import ready as ready
    from metahook.protocol.objects.conditions import set_condition as set_condition
    from metahook.protocol.objects.kind import Kind as Kind
    from metahook.protocol.objects.manifest import EncodedManifest as EncodedManifest
    from metahook.protocol.objects.manifest import Manifest as Manifest
    from metahook.protocol.objects.manifest import with_annotations as with_annotations
    from metahook.protocol.objects.object import Condition as Condition
    from metahook.protocol.objects.object import Conditions as Conditions
    from metahook.protocol.objects.object import Defaults as Defaults
    from metahook.protocol.objects.object import Metadata as Metadata
    from metahook.protocol.objects.object import Object as Object
    from metahook.protocol.objects.object import Observed as Observed
    from metahook.protocol.observed.child import LAST_APPLIED as LAST_APPLIED
    from metahook.protocol.observed.children import Children as Children
    from metahook.protocol.observed.children import UndeclaredKind as UndeclaredKind
    from metahook.protocol.observed.managed_fields import last_change as last_change
    from metahook.protocol.observed.related import Absence as Absence
    from metahook.protocol.observed.related import Related as Related
    from metahook.protocol.request import Body as Body
    from metahook.protocol.request import CustomizeRequest as CustomizeRequest
    from metahook.protocol.request import Parent as Parent
    from metahook.protocol.request import SyncRequest as SyncRequest
    from metahook.protocol.response import CustomizeResponse as CustomizeResponse
    from metahook.protocol.response import DecoratorFinalizeResponse as DecoratorFinalizeResponse
    from metahook.protocol.response import DecoratorResponse as DecoratorResponse
    from metahook.protocol.response import FinalizeResponse as FinalizeResponse
    from metahook.protocol.response import SyncResponse as SyncResponse
    from metahook.protocol.response import select_by_labels as select_by_labels
    from metahook.protocol.response import select_by_name as select_by_name
    from metahook.server.app import hook_router as hook_router
    from metahook.server.options import Address as Address
    from metahook.server.options import ServerOptions as ServerOptions
    from metahook.server.serve import serve as serve
else:
    _NAMES = {
        "kinds.config_map": ("ConfigMap",),
        "kinds.deployment": ("Deployment", "DeploymentStatus", "rolled_out"),
        "kinds.horizontal_pod_autoscaler": ("HorizontalPodAutoscaler",),
        "kinds.http_route": ("HTTPRoute",),
        "kinds.ingress": ("Ingress",),
        "kinds.namespace": ("Namespace", "NamespaceStatus"),
        "kinds.pod": ("ContainerStatus", "Pod", "PodStatus", "Terminated"),
        "kinds.secret": ("Secret",),
        "kinds.pod_disruption_budget": ("PodDisruptionBudget",),
        "kinds.service": ("Service",),
        "protocol.objects.conditions": ("ready", "set_condition"),
        "protocol.controller": ("Controller", "Decorator", "Handler"),
        "protocol.crd.custom_resource": ("crd",),
        "protocol.drift.drifted_fields": (
            "drifted_field",
            "overridden_field",
            "overriding_manager",
            "with_observed_values",
        ),
        "protocol.checks.gate": ("RefusedResponse",),
        "protocol.checks.generation": (
            "children_from_newer_generation",
            "generation_stamp",
            "is_from_newer_generation",
            "with_generation_stamp",
        ),
        "protocol.installation": ("InstallationProblem", "UpdateMethod"),
        "protocol.objects.kind": ("Kind",),
        "protocol.observed.child": ("LAST_APPLIED",),
        "protocol.drift.leftovers": ("ForeignField", "foreign_fields", "leftovers"),
        "protocol.bodies.malformed": ("MalformedRequest",),
        "protocol.observed.managed_fields": ("last_change",),
        "protocol.objects.manifest": ("EncodedManifest", "Manifest", "with_annotations"),
        "protocol.checks.misuse": ("MisusedController",),
        "protocol.objects.object": ("Condition", "Conditions", "Defaults", "Metadata", "Object", "Observed"),
        "protocol.observed.children": ("Children", "UndeclaredKind"),
        "protocol.checks.purity": ("ImpureHook",),
        "protocol.bodies.reading": ("try_read", "try_read_fields", "try_read_list"),
        "protocol.observed.related": ("Absence", "Related"),
        "protocol.drift.removal": ("Removal", "removal"),
        "protocol.drift.repair": ("Resend", "was_resent", "with_repair"),
        "protocol.request": ("Body", "CustomizeRequest", "Parent", "SyncRequest"),
        "protocol.response": (
            "CustomizeResponse",
            "DecoratorFinalizeResponse",
            "DecoratorResponse",
            "FinalizeResponse",
            "SyncResponse",
            "select_by_labels",
            "select_by_name",
        ),
        "protocol.bodies.bodies": ("MAX_RESYNC", "RelatedRule"),
        "server.app": ("hook_router",),
        "server.options": ("Address", "ServerOptions"),
        "server.serve": ("serve",),
    }
    __all__ = [name for names in _NAMES.values() for name in names]
    __getattr__, __dir__ = opener(__name__, _NAMES, extra="server")


__version__ = "0.4.0.dev0"
