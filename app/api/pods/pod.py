"""What a Pod has besides its container: metadata, and the Secrets for pulling its image."""

from typing import Annotated

from pydantic import Field

from app.api.values.labels import PodAnnotations, PodLabels
from app.api.values.model import ListMap, Model, Omitted
from app.api.values.scalar import ObjectName

Id = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""ID of a user or group. 0, which is root, is none of them."""


class PodMetadata(Model):
    """Additional labels and annotations of the Pods."""

    labels: PodLabels | None = None
    """Labels to add to the Pods."""
    annotations: PodAnnotations | None = None
    """Annotations to add to the Pods."""


class PullSecret(Model):
    """A Secret with credentials for an image registry."""

    name: ObjectName
    """Name of the Secret, in the same namespace."""


PullSecrets = Annotated[list[PullSecret], Field(max_length=16), ListMap(("name",)), Omitted]
