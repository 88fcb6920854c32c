"""What belongs to the Pod besides its container: metadata, and the Secrets that its image is pulled with."""

from typing import Annotated

from pydantic import Field

from app.api.labels import PodAnnotations, PodLabels
from app.api.model import ListMap, Model, Omitted
from app.api.scalar import ObjectName


class PodMetadata(Model):
    """Labels and annotations for the Pods, beside the operator's own."""

    labels: PodLabels | None = None
    """Labels of the Pods."""
    annotations: PodAnnotations | None = None
    """Annotations of the Pods."""


class PullSecret(Model):
    """A Secret with credentials for an image registry."""

    name: ObjectName
    """Name of the Secret, in the same namespace."""


PullSecrets = Annotated[list[PullSecret], Field(max_length=16), ListMap(("name",)), Omitted]
