"""Which labels and annotations of the MyResource its children get. Those of the Pods are in podMetadata."""

from typing import Annotated

from pydantic import Field

from app.api.values.labels import ANNOTATION_KEYS, LABEL_KEYS, NOT_THE_PODS
from app.api.values.model import Model, Omitted
from app.api.values.scalar import MAX_KEY

_Keys = Annotated[list[Annotated[str, Field(max_length=MAX_KEY)]], Field(max_length=16)]


class Propagate(Model):
    """Keys of the MyResource's own metadata."""

    labels: Annotated[_Keys, LABEL_KEYS, NOT_THE_PODS, Omitted] | None = None
    """Keys of the labels to copy."""
    annotations: Annotated[_Keys, ANNOTATION_KEYS, NOT_THE_PODS, Omitted] | None = None
    """Keys of the annotations to copy, but not to an Ingress or HTTPRoute."""
