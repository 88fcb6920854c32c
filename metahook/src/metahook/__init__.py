"""metahook: Metacontroller hooks in Python. A hook is a pure function; metahook does everything around it.

    cli        the command metahook, which tries any hook without a cluster
    testing    parents that Hypothesis generates from a CRD; pytest_plugin has fixtures
    envtest    runs controllers on a real control plane with Metacontroller, for tests
    record     records the requests to a hook, as a proxy in front of it
    server     serves controllers over HTTP: limits, health, refusals
    simulator  a cluster with Metacontroller in it, in memory, on a virtual clock
    kinds      Deployment, Service, PodDisruptionBudget, HorizontalPodAutoscaler, ConfigMap, Secret, Pod and Namespace
               as observed
    protocol   Metacontroller's requests and responses, drift, repair, stale requests, and the gate to the cluster

The rule of this package: it knows no kind of parent, and imports nothing of the operator that uses it. Imports point
down this list; the server and the simulator do not know each other.

Nouns: a *controller* is what a hook author writes, *serve* runs it. Each package has its own in its docstring.

Each name is imported at its first use. All need msgspec alone, but ``hook_router``, ``serve``, ``Address`` and
``ServerOptions``, which need the extra ``server``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metahook.kinds.config_map import ConfigMap
    from metahook.kinds.deployment import Deployment, DeploymentStatus, rolled_out
    from metahook.kinds.horizontal_pod_autoscaler import HorizontalPodAutoscaler
    from metahook.kinds.namespace import Namespace, NamespaceStatus
    from metahook.kinds.pod import ContainerStatus, Pod, PodStatus, Terminated
    from metahook.kinds.pod_disruption_budget import PodDisruptionBudget
    from metahook.kinds.secret import Secret
    from metahook.kinds.service import Service
    from metahook.protocol.conditions import ready, set_condition
    from metahook.protocol.controller import Controller, Decorator
    from metahook.protocol.custom_resource import crd
    from metahook.protocol.drift import drifted_field, overridden_field, overriding_manager, with_observed_values
    from metahook.protocol.gate import RefusedResponse
    from metahook.protocol.generation import (
        children_from_newer_generation,
        is_from_newer_generation,
        with_generation_stamp,
    )
    from metahook.protocol.installation import Finding, UpdateMethod
    from metahook.protocol.kind import Kind
    from metahook.protocol.last_applied import LAST_APPLIED
    from metahook.protocol.leftovers import ForeignField, foreign_fields, leftovers
    from metahook.protocol.malformed import MalformedRequest
    from metahook.protocol.managed_fields import last_change
    from metahook.protocol.manifest import EncodedManifest, Manifest
    from metahook.protocol.misuse import MisusedController
    from metahook.protocol.objects import Condition, Conditions, Defaults, Metadata, Object, Observed
    from metahook.protocol.observed import Children, UndeclaredKind
    from metahook.protocol.purity import ImpureHook
    from metahook.protocol.reading import try_read, try_read_list
    from metahook.protocol.related import Absence, Related
    from metahook.protocol.removal import Removal, removal
    from metahook.protocol.repair import Resend, was_resent, with_repair
    from metahook.protocol.request import Body, CustomizeRequest, Parent, SyncRequest
    from metahook.protocol.response import (
        CustomizeResponse,
        DecoratorFinalizeResponse,
        DecoratorResponse,
        FinalizeResponse,
        SyncResponse,
        select_by_labels,
        select_by_name,
    )
    from metahook.protocol.wire import MAX_RESYNC, RelatedRule
    from metahook.server.app import ServerOptions
    from metahook.server.hook.router import hook_router
    from metahook.server.lifecycle.address import Address
    from metahook.server.lifecycle.serve import serve
else:
    _NAMES = {
        "kinds.config_map": ("ConfigMap",),
        "kinds.deployment": ("Deployment", "DeploymentStatus", "rolled_out"),
        "kinds.horizontal_pod_autoscaler": ("HorizontalPodAutoscaler",),
        "kinds.namespace": ("Namespace", "NamespaceStatus"),
        "kinds.pod": ("ContainerStatus", "Pod", "PodStatus", "Terminated"),
        "kinds.secret": ("Secret",),
        "kinds.pod_disruption_budget": ("PodDisruptionBudget",),
        "kinds.service": ("Service",),
        "protocol.conditions": ("ready", "set_condition"),
        "protocol.controller": ("Controller", "Decorator"),
        "protocol.custom_resource": ("crd",),
        "protocol.drift": ("drifted_field", "overridden_field", "overriding_manager", "with_observed_values"),
        "protocol.gate": ("RefusedResponse",),
        "protocol.generation": ("children_from_newer_generation", "is_from_newer_generation", "with_generation_stamp"),
        "protocol.installation": ("Finding", "UpdateMethod"),
        "protocol.kind": ("Kind",),
        "protocol.last_applied": ("LAST_APPLIED",),
        "protocol.leftovers": ("ForeignField", "foreign_fields", "leftovers"),
        "protocol.malformed": ("MalformedRequest",),
        "protocol.managed_fields": ("last_change",),
        "protocol.manifest": ("EncodedManifest", "Manifest"),
        "protocol.misuse": ("MisusedController",),
        "protocol.objects": ("Condition", "Conditions", "Defaults", "Metadata", "Object", "Observed"),
        "protocol.observed": ("Children", "UndeclaredKind"),
        "protocol.purity": ("ImpureHook",),
        "protocol.reading": ("try_read", "try_read_list"),
        "protocol.related": ("Absence", "Related"),
        "protocol.removal": ("Removal", "removal"),
        "protocol.repair": ("Resend", "was_resent", "with_repair"),
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
        "protocol.wire": ("MAX_RESYNC", "RelatedRule"),
        "server.app": ("ServerOptions",),
        "server.hook.router": ("hook_router",),
        "server.lifecycle.address": ("Address",),
        "server.lifecycle.serve": ("serve",),
    }
    _MODULES = {name: f"metahook.{module}" for module, names in _NAMES.items() for name in names}

    def __getattr__(name: str) -> object:
        """Import *name* at its first use: a hook needs no server until it is served, and the command starts quickly."""
        if name not in _MODULES:
            message = f"module 'metahook' has no attribute {name!r}"
            raise AttributeError(message)
        try:
            globals()[name] = value = getattr(import_module(_MODULES[name]), name)
        except ModuleNotFoundError as error:
            message = f"{error}; metahook.{name} needs the extra server: pip install './metahook[server]'"
            raise ModuleNotFoundError(message, name=error.name) from error
        return value


__version__ = "0.3.0"

__all__ = [
    "LAST_APPLIED",
    "MAX_RESYNC",
    "Absence",
    "Address",
    "Body",
    "Children",
    "Condition",
    "Conditions",
    "ConfigMap",
    "ContainerStatus",
    "Controller",
    "CustomizeRequest",
    "CustomizeResponse",
    "Decorator",
    "DecoratorFinalizeResponse",
    "DecoratorResponse",
    "Defaults",
    "Deployment",
    "DeploymentStatus",
    "EncodedManifest",
    "FinalizeResponse",
    "Finding",
    "ForeignField",
    "HorizontalPodAutoscaler",
    "ImpureHook",
    "Kind",
    "MalformedRequest",
    "Manifest",
    "Metadata",
    "MisusedController",
    "Namespace",
    "NamespaceStatus",
    "Object",
    "Observed",
    "Parent",
    "Pod",
    "PodDisruptionBudget",
    "PodStatus",
    "RefusedResponse",
    "Related",
    "RelatedRule",
    "Removal",
    "Resend",
    "Secret",
    "ServerOptions",
    "Service",
    "SyncRequest",
    "SyncResponse",
    "Terminated",
    "UndeclaredKind",
    "UpdateMethod",
    "children_from_newer_generation",
    "crd",
    "drifted_field",
    "foreign_fields",
    "hook_router",
    "is_from_newer_generation",
    "last_change",
    "leftovers",
    "overridden_field",
    "overriding_manager",
    "ready",
    "removal",
    "rolled_out",
    "select_by_labels",
    "select_by_name",
    "serve",
    "set_condition",
    "try_read",
    "try_read_list",
    "was_resent",
    "with_generation_stamp",
    "with_observed_values",
    "with_repair",
]
