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

The names here need msgspec alone. What serves a controller is in ``metahook.server``, with the extra ``server``;
``extras`` has what to install for a package that is missing.
"""

from metahook.kinds import (
    ConfigMap as ConfigMap,
    ContainerStatus as ContainerStatus,
    Deployment as Deployment,
    DeploymentStatus as DeploymentStatus,
    HorizontalPodAutoscaler as HorizontalPodAutoscaler,
    HTTPRoute as HTTPRoute,
    Ingress as Ingress,
    Namespace as Namespace,
    NamespaceStatus as NamespaceStatus,
    Pod as Pod,
    PodDisruptionBudget as PodDisruptionBudget,
    PodStatus as PodStatus,
    Secret as Secret,
    Service as Service,
    Terminated as Terminated,
    rolled_out as rolled_out,
)
from metahook.protocol.bodies import (
    MAX_RESYNC as MAX_RESYNC,
    MalformedRequest as MalformedRequest,
    RelatedRule as RelatedRule,
    try_read as try_read,
    try_read_fields as try_read_fields,
    try_read_list as try_read_list,
)
from metahook.protocol.controller import (
    Controller as Controller,
    Decorator as Decorator,
    Handler as Handler,
)
from metahook.protocol.crd import crd as crd
from metahook.protocol.drift import (
    Resend as Resend,
    drifted_field as drifted_field,
    overridden_field as overridden_field,
    overriding_manager as overriding_manager,
    was_resent as was_resent,
    with_observed_values as with_observed_values,
    with_repair as with_repair,
)
from metahook.protocol.gate import (
    MisusedController as MisusedController,
    RefusedResponse as RefusedResponse,
)
from metahook.protocol.installation import (
    InstallationProblem as InstallationProblem,
    UpdateMethod as UpdateMethod,
)
from metahook.protocol.leftovers import (
    ForeignField as ForeignField,
    Removal as Removal,
    foreign_fields as foreign_fields,
    leftovers as leftovers,
    removal as removal,
)
from metahook.protocol.managed_fields import last_change as last_change
from metahook.protocol.objects import (
    Condition as Condition,
    Conditions as Conditions,
    Defaults as Defaults,
    EncodedManifest as EncodedManifest,
    Kind as Kind,
    Manifest as Manifest,
    Metadata as Metadata,
    Object as Object,
    Observed as Observed,
    ready as ready,
    set_condition as set_condition,
    with_annotations as with_annotations,
)
from metahook.protocol.observed import (
    LAST_APPLIED as LAST_APPLIED,
    Absence as Absence,
    Children as Children,
    Related as Related,
    UndeclaredKind as UndeclaredKind,
)
from metahook.protocol.purity import ImpureHook as ImpureHook
from metahook.protocol.request import (
    Body as Body,
    CustomizeRequest as CustomizeRequest,
    Parent as Parent,
    SyncRequest as SyncRequest,
)
from metahook.protocol.response import (
    CustomizeResponse as CustomizeResponse,
    DecoratorFinalizeResponse as DecoratorFinalizeResponse,
    DecoratorResponse as DecoratorResponse,
    FinalizeResponse as FinalizeResponse,
    SyncResponse as SyncResponse,
    select_by_labels as select_by_labels,
    select_by_name as select_by_name,
)
from metahook.protocol.stale_requests import (
    children_from_newer_generation as children_from_newer_generation,
    generation_stamp as generation_stamp,
    is_from_newer_generation as is_from_newer_generation,
    with_generation_stamp as with_generation_stamp,
)

__version__ = "0.4.0.dev0"
