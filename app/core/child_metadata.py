"""Who a child is: its name, its labels, and the annotations that the operator keeps on it.

Names and selectors depend on the parent's name alone, for ever: a Deployment's selector can't be changed.
"""

from app.api.names import GROUP
from metahook import ConfigMap, Deployment, Parent, Secret, Service

CHILDREN = (Deployment, Service)
"""The kinds of a MyResource's children."""

SELECTOR_LABEL = "myresource"
CONTAINER = "main"

APPLIED = f"{GROUP}/applied"
REPAIR = f"{GROUP}/repair"
RESTARTED_AT = f"{GROUP}/restartedAt"
MARKS: dict[type[ConfigMap] | type[Secret], str] = {
    ConfigMap: f"{GROUP}/config",
    Secret: f"{GROUP}/secrets",
}
"""The annotations of the Pod template that change with what the application reads."""


def deployment_name(parent: Parent) -> str:
    """Return the name of the Deployment."""
    return f"{parent.name}-deployment"


def service_name(parent: Parent) -> str:
    """Return the name of the Service."""
    return parent.name


def selector(parent: Parent) -> dict[str, str]:
    """Return the labels by which the Pods are found."""
    return {SELECTOR_LABEL: parent.name}


def labels(parent: Parent) -> dict[str, str]:
    """Return the labels of every child and of the Pods."""
    return {
        **selector(parent),
        "app.kubernetes.io/instance": parent.name,
        "app.kubernetes.io/managed-by": "myresource-operator",
        "app.kubernetes.io/name": parent.name,
    }


def applied(parent: Parent) -> str:
    """Return the mark of this generation of this parent.

    Not a hash of what is asked for: two versions of the hook would rewrite a hash in turn.
    """
    return f"{parent.generation}-{parent.uid[:8]}"
