"""MyResourceStatus: what a user reads back. Ready is authoritative; everything else explains it.

Metacontroller adds ``observedGeneration`` to every status it writes. No words are closed here (no enum): a status that
breaks its own schema would be refused whole. Source: Kubernetes API conventions, "Typical status properties".
"""

from typing import Annotated

from pydantic import Field

from app.api.model import ListMap, Model
from app.api.scalar import Timestamp

MAX_MESSAGE = 1024


class Condition(Model):
    """One observation. It says True, False or Unknown, why in one word, and what to do in one message."""

    type: Annotated[str, Field(max_length=64)]
    """What is observed: Ready, Available, Progressing, DependenciesReady, and Reconciling or Stalled while True."""
    status: Annotated[str, Field(max_length=16)]
    """True, False or Unknown."""
    reason: Annotated[str, Field(max_length=128)]
    """Why, in one word; myresource explain REASON tells more."""
    message: Annotated[str, Field(max_length=MAX_MESSAGE)]
    """Why, and what to do next."""
    observed_generation: Annotated[int, Field(ge=0, json_schema_extra={"format": "int64"})]
    """Generation of the MyResource that was observed."""
    last_transition_time: Timestamp
    """When status last changed."""


class Waiting(Model):
    """What is waited for: something that was asked for and is not yet observed."""

    what: Annotated[str, Field(max_length=MAX_MESSAGE)]
    """The child, or the field of it that has another value."""
    since: Timestamp
    """Since when; after a minute the MyResource counts as stalled."""


class MyResourceStatus(Model):
    """What is true now, as observed."""

    observed_generation: Annotated[int, Field(json_schema_extra={"format": "int64"})] | None = None
    """Generation of the MyResource that was seen last; written by Metacontroller."""
    state: Annotated[str, Field(max_length=32)]
    """In one word: Building, Ready, Degraded, Failed or Terminating. Depend on the condition Ready instead."""
    conditions: Annotated[list[Condition], Field(max_length=16), ListMap(("type",))]
    """Observations by type."""
    replicas: Annotated[int, Field(ge=0)]
    """Pods of the Deployment, as observed, up to those asked for."""
    selector: Annotated[str, Field(max_length=253)]
    """Selector of the Pods, for kubectl scale and autoscalers."""
    image: Annotated[str, Field(max_length=1024)] | None = None
    """Image of the Deployment, as observed."""
    ready_generation: Annotated[int, Field(ge=0, json_schema_extra={"format": "int64"})] | None = None
    """Generation of the MyResource that was Ready last."""
    waiting: Waiting | None = None
    """What is waited for, while something is."""
