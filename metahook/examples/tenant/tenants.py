import re
from datetime import datetime
from typing import Annotated, ClassVar, Literal

import msgspec

from metahook import (
    Absence,
    Conditions,
    Controller,
    CustomizeRequest,
    FinalizeResponse,
    Kind,
    Manifest,
    Namespace,
    Object,
    Parent,
    RelatedRule,
    SyncRequest,
    SyncResponse,
    crd,
    drifted_field,
    select_by_labels,
    set_condition,
    try_read,
)
from metahook.server import Address, serve

TENANT = Kind("example.com/v1", "Tenant", "tenants", namespaced=False)
NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,54}[a-z0-9])?")

Group = Annotated[str, msgspec.Meta(min_length=1)]

# Not more than 500, because an API server stores 1000 as 1k, which would differ for ever.
Count = Annotated[int, msgspec.Meta(ge=0, le=500)]


class TenantSpec(msgspec.Struct):
    groups: Annotated[list[Group], msgspec.Meta(min_length=1, max_length=20)]
    """Groups of users who may edit what is in the Namespace."""
    pods: Count = 50
    """How many Pods may run."""
    cpu: Count = 10
    """How many cores the Pods may request in total."""


class TenantStatus(Conditions, frozen=True, kw_only=True):
    namespace: str
    """The Namespace of the Tenant."""


READY = '.status.conditions[?(@.type=="Ready")]'
COLUMNS = {"Namespace": ".status.namespace", "Ready": f"{READY}.status", "Reason": f"{READY}.reason"}
CRD = crd(TENANT, TenantSpec, TenantStatus, columns=COLUMNS)


class ResourceQuota(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("v1", "ResourceQuota", "resourcequotas")


class RoleBinding(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings")


class NetworkPolicy(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies")


class PersistentVolumeClaim(Object, frozen=True):
    KIND: ClassVar[Kind] = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")


def sync(request: SyncRequest, now: datetime) -> SyncResponse:
    """Return the Namespace of one Tenant, with what limits it."""
    tenant, spec = request.parent, try_read(request.parent.spec, TenantSpec)
    if spec is None or not NAME.fullmatch(tenant.name):
        message = "The spec does not fit the CRD, or metadata.name is not a DNS label of at most 56 characters."
        status = _status(tenant, now, "False", "InvalidSpec", message)
        return SyncResponse(status, kept=request.children.kept())
    desired = [_namespace(tenant), _quota(tenant, spec), _role_binding(tenant, spec), _network_policy(tenant)]
    namespace = request.children.get(Namespace, _namespace_of(tenant))
    waiting = [child["kind"] for child in desired if drifted_field(child, request.children)]
    if waiting:
        status = _status(tenant, now, "False", "Updating", f"Waiting for an update of {', '.join(waiting)}.")
    elif namespace and namespace.metadata.deletion_timestamp:
        status = _status(tenant, now, "False", "NamespaceTerminating", "The Namespace is being deleted.")
    else:
        status = _status(tenant, now, "True", "UpToDate", "The Namespace and its limits are as the spec says.")
    # An API server refuses objects in a Namespace that it does not have yet: the next sync adds them.
    is_new = not list(request.children)
    return SyncResponse(status, desired[:1] if is_new else desired)


def finalize(request: SyncRequest, now: datetime) -> FinalizeResponse:
    """Let a Tenant go, and all that it has, once its Namespace contains no more data."""
    tenant, claims = request.parent, request.related.all(PersistentVolumeClaim)
    if isinstance(claims, Absence) or claims:  # Absence: nothing is known of them
        command = f"kubectl delete pvc --all -n {_namespace_of(tenant)}"
        status = _status(tenant, now, "False", "HasData", f"Claims hold data. To delete the data, run: {command}")
        until_then = sync(request, now)
        return FinalizeResponse(status, until_then.children, until_then.kept)
    status = _status(tenant, now, "False", "Deleting", "The Namespace is being deleted.")
    return FinalizeResponse(status, finalized=True)


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Select the claims in the Namespace of the Tenant: each change of one triggers a sync, or a finalize."""
    return [select_by_labels(PersistentVolumeClaim, _namespace_of(request.parent), {})]


def _status(tenant: Parent, now: datetime, ready: Literal["True", "False"], reason: str, message: str) -> Manifest:
    conditions = set_condition(
        tenant.conditions, "Ready", ready, reason, message, now=now, generation=tenant.generation
    )
    return {"namespace": _namespace_of(tenant), "conditions": conditions}


def _namespace_of(tenant: Parent) -> str:
    """Return the name of the Namespace. Without the prefix, a Tenant could be called kube-system."""
    return f"tenant-{tenant.name}"


def _namespace(tenant: Parent) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _namespace_of(tenant)}}


def _metadata(tenant: Parent) -> Manifest:
    return {"name": "tenant", "namespace": _namespace_of(tenant)}


def _quota(tenant: Parent, spec: TenantSpec) -> Manifest:
    hard = {"pods": str(spec.pods), "requests.cpu": str(spec.cpu)}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": _metadata(tenant), "spec": {"hard": hard}}


def _role_binding(tenant: Parent, spec: TenantSpec) -> Manifest:
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "RoleBinding",
        "metadata": _metadata(tenant),
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "edit"},
        "subjects": [{"apiGroup": group, "kind": "Group", "name": name} for name in sorted(set(spec.groups))],
    }


def _network_policy(tenant: Parent) -> Manifest:
    """Return the policy by which only Pods of the same Namespace reach its Pods."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _metadata(tenant),
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": [{"podSelector": {}}]}]},
    }


TENANTS = Controller(
    sync=sync,
    children=(Namespace, ResourceQuota, RoleBinding, NetworkPolicy),
    customize=customize,
    finalize=finalize,
    example_spec={"groups": ["acme"]},
    parent=TENANT,
)

if __name__ == "__main__":
    serve(TENANTS, Address("0.0.0.0", 8080), Address("0.0.0.0", 8081))
