"""What all children have: names, labels and annotations, also those of their Pods.

Names and selectors depend only on the parent's name, in every version: a Deployment's selector is immutable. All
children but the Deployment have the name of their parent.
"""

from collections.abc import Mapping
from typing import Any

from app import Json
from app.api.names import GROUP
from metahook import ConfigMap, Deployment, Manifest, Object, Parent, Pod, Secret

SELECTOR_LABEL = "myresource"
POD_TEMPLATE_HASH = "pod-template-hash"
"""The label with which the Deployment controller tells the Pods of its ReplicaSets apart."""

GENERATION_STAMP = f"{GROUP}/applied"
"""The annotation of each child with its generation stamp: see :mod:`metahook.protocol.stale_requests`."""

ADDRESS_LABEL = f"{GROUP}/address"
"""The label of an Ingress or HTTPRoute with the hash of its host and path."""

READY_IMAGE = f"{GROUP}/readyImage"
ROLLBACK = f"{GROUP}/rollback"
"""The annotations of the Deployment with the last image that was Ready, and with the decision to use it again."""

EARLIER_FAILURE = f"{GROUP}/earlierFailure"
"""The annotation of the Deployment with the failure that it reported when it got another Pod template."""

ASLEEP = f"{GROUP}/asleep"
"""The annotation of the children that a schedule changes, with the number of Pods while the MyResource is asleep."""

ROLLED_OUT_TEMPLATE = f"{GROUP}/rolledOutTemplate"
"""The annotation of the Deployment with the hash of its Pod template, once that was rolled out."""

REVISION = "deployment.kubernetes.io/revision"
"""The annotation in which the Deployment controller counts the Pod templates that it has observed."""

REVERTED = f"{GROUP}/reverted"
"""The annotation of a child with the last change by another user or controller that was reverted."""

REPAIR_ANNOTATION = f"{GROUP}/repair"
PASSING_ANNOTATIONS = frozenset({EARLIER_FAILURE, REPAIR_ANNOTATION, REVERTED, ROLLED_OUT_TEMPLATE})
"""The annotations that follow from the observed child, and not from the spec: the response has them at times."""

RESTARTED_AT = f"{GROUP}/restartedAt"
CONFIG_HASH_ANNOTATIONS: dict[type[ConfigMap] | type[Secret], str] = {
    ConfigMap: f"{GROUP}/config",
    Secret: f"{GROUP}/secrets",
}
"""The annotations of the Pod template with the hashes of the configuration that the application reads."""


def deployment_name(parent: Parent) -> str:
    """Return the name of the Deployment."""
    return f"{parent.name}-deployment"


def selector(parent: Parent) -> dict[str, str]:
    """Return the labels that select the Pods."""
    return {SELECTOR_LABEL: parent.name}


def labels(parent: Parent) -> dict[str, str]:
    """Return the labels of every child and of the Pods."""
    return {
        **selector(parent),
        "app.kubernetes.io/instance": parent.name,
        "app.kubernetes.io/managed-by": "myresource-operator",
        "app.kubernetes.io/name": parent.name,
    }


def manifest_of(kind: type[Object], parent: Parent, spec: Mapping[str, Any], **metadata: Mapping[str, str]) -> Manifest:
    """Return the manifest of the child of *kind* with this *spec*, and with more *metadata* than all have."""
    name = deployment_name(parent) if kind is Deployment else parent.name
    metadata = {field: values for field, values in metadata.items() if values}
    return {
        "apiVersion": kind.KIND.api_version,
        "kind": kind.KIND.kind,
        "metadata": {"name": name, "namespace": parent.namespace, "labels": labels(parent), **metadata},
        "spec": spec,
    }


def present(fields: Mapping[str, object]) -> Json:
    """Return the *fields* that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def replica_set_hash(pod: Pod, deployment: str) -> str | None:
    """Return the template hash of the ReplicaSet of *deployment* that created *pod*; None if none of them did."""
    template_hash, owner = pod.metadata.label(POD_TEMPLATE_HASH), pod.metadata.controller
    return template_hash if template_hash and owner and owner.name == f"{deployment}-{template_hash}" else None
