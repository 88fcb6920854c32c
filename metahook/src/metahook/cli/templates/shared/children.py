"""The children: a function for each, which returns it as an API server stores it."""

import re  # only: decorator
from base64 import b64encode  # only: Secret
from hashlib import sha256  # only: decorator
from typing import (
    Any,  # only: pods-run selecting
    ClassVar,  # only: own-structs
)

from metahook import (
    ConfigMap,  # only: ConfigMap
    Deployment,  # only: Deployment
    Ingress,  # only: Ingress
    Kind,  # only: own-structs
    Manifest,
    Namespace,  # only: Namespace
    Object,  # only: own-structs
    Parent,
    PodDisruptionBudget,  # only: PodDisruptionBudget
    Secret,  # only: Secret
    Service,  # only: Service
)
from msgspec import json  # only: selecting

from model import Spec  # only: composite


# each own-struct
class MyChild(Object, frozen=True):
    """An observed MyChild."""

    KIND: ClassVar[Kind] = Kind("child/v1", "MyChild", "mychildren")


# end
# only: StatefulSet
class StatefulSet(Object, frozen=True):
    """An observed StatefulSet."""

    KIND: ClassVar[Kind] = Kind("apps/v1", "StatefulSet", "statefulsets")

    spec: dict[str, Any]
    status: dict[str, Any] = {}

    @property
    def is_ready(self) -> bool:
        """Whether all Pods of the current spec are ready."""
        is_observed = self.status.get("observedGeneration") == self.metadata.generation
        return is_observed and bool(self.status.get("readyReplicas", 0) >= self.spec["replicas"])


# end
def desired_children(parent: Parent, spec: Spec) -> list[Manifest]:
    """Return all children of *parent*."""
    return [
        my_child(parent, spec),  # each child
    ]


KINDS = (
    MyChild,  # each child
)


# only: ConfigMap
def config_map(parent: Parent, spec: Spec) -> Manifest:
    """Return the ConfigMap."""
    metadata = {"name": parent.name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": spec.text}}


# end
# only: CronJob
def cron_job(parent: Parent, spec: Spec) -> Manifest:
    """Return the CronJob."""
    metadata = {"name": parent.name}
    job = {"template": {"spec": {**_pod(spec.image), "restartPolicy": "Never"}}}
    desired = {"schedule": spec.schedule, "jobTemplate": {"spec": job}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": desired}


# end
# only: DaemonSet
def daemon_set(parent: Parent, spec: Spec) -> Manifest:
    """Return the DaemonSet."""
    metadata = {"name": parent.name}
    labels = {"app": parent.name}
    template = {"metadata": {"labels": labels}, "spec": _pod(spec.image)}
    desired = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": desired}


# end
# only: Deployment
def deployment(parent: Parent, spec: Spec) -> Manifest:
    """Return the Deployment."""
    metadata = {"name": parent.name}
    labels = {"app": parent.name}
    template = {"metadata": {"labels": labels}, "spec": _pod(spec.image)}
    desired = {"replicas": spec.replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": desired}


# end
# only: Ingress
def ingress(parent: Parent, spec: Spec) -> Manifest:
    """Return the Ingress, to the Service of the same name."""
    metadata = {"name": parent.name}
    backend = {"service": {"name": parent.name, "port": {"number": 80}}}
    paths = [{"path": "/", "pathType": "Prefix", "backend": backend}]
    desired = {"rules": [{"host": spec.host, "http": {"paths": paths}}]}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": desired}


# end
# only: Job
def job(parent: Parent, spec: Spec) -> Manifest:
    """Return the Job. Its template can't be changed, so its update method is OnDelete."""
    metadata = {"name": parent.name}
    desired = {"template": {"spec": {**_pod(spec.image), "restartPolicy": "Never"}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": desired}


# end
# only: Namespace
def namespace(parent: Parent, spec: Spec) -> Manifest:
    """Return the Namespace. Its name has a prefix, so that no MyKind gets kube-system."""
    metadata = {"name": f"mykind-{parent.name}"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


# end
# only: NetworkPolicy
def network_policy(parent: Parent, spec: Spec) -> Manifest:
    """Return the NetworkPolicy: only Pods of the same namespace may connect."""
    metadata = {"name": parent.name}
    desired = {"podSelector": {}, "ingress": [{"from": [{"podSelector": {}}]}], "policyTypes": ["Ingress"]}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": desired}


# end
# only: PersistentVolumeClaim
def persistent_volume_claim(parent: Parent, spec: Spec) -> Manifest:
    """Return the PersistentVolumeClaim."""
    metadata = {"name": parent.name}
    desired = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": spec.size}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": desired}


# end
# only: PodDisruptionBudget
def pod_disruption_budget(parent: Parent, spec: Spec) -> Manifest:
    """Return the PodDisruptionBudget."""
    metadata = {"name": parent.name}
    selector = _selector(parent)  # only: selecting
    selector = {"matchLabels": {"app": parent.name}}  # only: not-selecting
    desired = {"maxUnavailable": 1, "selector": selector}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": desired}


# end
# only: ResourceQuota
def resource_quota(parent: Parent, spec: Spec) -> Manifest:
    """Return the ResourceQuota."""
    metadata = {"name": parent.name}
    desired = {"hard": {"pods": str(spec.pods)}}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": desired}


# end
# only: Role
def role(parent: Parent, spec: Spec) -> Manifest:
    """Return the Role."""
    metadata = {"name": parent.name}
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": metadata, "rules": rules}


# end
# only: RoleBinding
def role_binding(parent: Parent, spec: Spec) -> Manifest:
    """Return the RoleBinding, of the Role of the same name."""
    metadata = {"name": parent.name}
    group = "rbac.authorization.k8s.io"
    role = {"apiGroup": group, "kind": "Role", "name": parent.name}
    users = [{"apiGroup": group, "kind": "User", "name": spec.user}]
    head = {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": metadata}
    return {**head, "roleRef": role, "subjects": users}


# end
# only: Secret
def secret(parent: Parent, spec: Spec) -> Manifest:
    """Return the Secret."""
    metadata = {"name": parent.name}
    data = {"text": b64encode(spec.text.encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}


# end
# only: Service
def service(parent: Parent, spec: Spec) -> Manifest:
    """Return the Service."""
    metadata = {"name": parent.name}
    labels = _selector(parent).get("matchLabels", {})  # only: selecting
    labels = {"app": parent.name}  # only: not-selecting
    desired = {"selector": labels, "ports": [{"port": 80, "targetPort": spec.port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": desired}


# end
# only: ServiceAccount
def service_account(parent: Parent, spec: Spec) -> Manifest:
    """Return the ServiceAccount."""
    metadata = {"name": parent.name}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


# end
# only: StatefulSet
def stateful_set(parent: Parent, spec: Spec) -> Manifest:
    """Return the StatefulSet, with the Service of the same name."""
    metadata = {"name": parent.name}
    labels = {"app": parent.name}
    template = {"metadata": {"labels": labels}, "spec": _pod(spec.image)}
    selector = {"matchLabels": labels}
    desired = {"replicas": spec.replicas, "serviceName": parent.name, "selector": selector, "template": template}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": desired}


# end
# only: decorator
def _name(parent: Parent) -> str:
    """Return the name of the children of *parent*, in the letters and the length that each kind and a label allow."""
    name = f"{parent.name}-my-hook"
    if re.fullmatch("[-a-z0-9]{1,52}", name):
        return name
    return f"{re.sub('[^-a-z0-9]', '-', name[:43])}-{sha256(name.encode()).hexdigest()[:8]}"


# end
# only: pods-run
def _pod(image: str) -> dict[str, Any]:
    """Return the spec of Pods that are allowed in a namespace with the restricted Pod Security Standard."""
    container = {
        "name": "main",
        "image": image,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
    }
    security = {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}}
    return {"containers": [container], "securityContext": security}


# end
# only: selecting
def _selector(parent: Parent) -> dict[str, Any]:
    """Return how the MyKind selects its Pods."""
    selector: dict[str, Any] = json.decode(parent.spec)["selector"]
    return selector
# end
