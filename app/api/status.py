"""MyResourceStatus: what a user reads back. Ready is authoritative; everything else explains it.

Metacontroller adds ``observedGeneration`` to every status it writes. No words are closed here (no enum): a status that
breaks its own schema would be refused whole. Source: Kubernetes API conventions, "Typical status properties".
"""

from typing import Annotated

from pydantic import Field

from app.api.model import ListMap, Model
from app.api.scalars import MAX_MESSAGE, Timestamp


class MyResourceCondition(Model):
    """One aspect of the current state of the MyResource."""

    type: Annotated[str, Field(max_length=64)]
    """Type of the condition, in one word. For details, run myresource explain TYPE."""
    status: Annotated[str, Field(max_length=16)]
    """Status of the condition: True, False or Unknown."""
    reason: Annotated[str, Field(max_length=128)]
    """Reason for the status, in one word. For details, run myresource explain REASON."""
    message: Annotated[str, Field(max_length=MAX_MESSAGE)]
    """Message with the cause and what to do."""
    observed_generation: Annotated[int, Field(ge=0, json_schema_extra={"format": "int64"})]
    """Generation of the MyResource that the condition describes."""
    last_transition_time: Timestamp
    """Time when the status of the condition last changed."""


class PendingChange(Model):
    """A desired change that has not been observed yet."""

    what: Annotated[str, Field(max_length=MAX_MESSAGE)]
    """What is waited for: a child object, one of its fields, or a complete rollout."""
    since: Timestamp
    """Time when the wait began."""


class Override(Model):
    """A change of a child by another user or controller, as observed, that the operator reverted."""

    what: Annotated[str, Field(max_length=MAX_MESSAGE)]
    """What was changed: a field of a child object, or the object itself if it was deleted."""
    manager: Annotated[str, Field(max_length=128)] | None = None
    """Field manager that changed it, as in the managedFields of the child; absent if these do not name one."""
    count: Annotated[int, Field(ge=1)]
    """Number of such changes that followed each other within ten minutes, up to 3, at which the reason becomes Overridden."""  # noqa: E501 - a description has no line breaks
    reverted_at: Timestamp
    """Time of the change that was reverted last, or, of one that was left, when its ten minutes were over."""
    child_versions: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=8)] | None = None
    """Versions of the children with changed fields: the generation of each, or its resourceVersion if it has none."""


class ScheduleStatus(Model):
    """The schedule, as the MyResource follows it."""

    state: Annotated[str, Field(max_length=16)]
    """Awake or Asleep: the state that was reached last, with all its Pods."""
    replicas: Annotated[int, Field(ge=0)] | None = None
    """Number of Pods of the window, if the state is Asleep."""
    next_transition: Timestamp
    """Time at which the schedule changes the number of Pods next, in its time zone."""


class MyResourceStatus(Model):
    """The observed state of the MyResource."""

    observed_generation: Annotated[int, Field(json_schema_extra={"format": "int64"})] | None = None
    """Generation of the MyResource that the operator observed last; set by Metacontroller."""
    state: Annotated[str, Field(max_length=32)]
    """Summary in one word: Building, Ready, Sleeping, Degraded, Failed, Suspended or Terminating. Depend on the Ready condition instead."""  # noqa: E501 - a description has no line breaks
    conditions: Annotated[list[MyResourceCondition], Field(max_length=16), ListMap(("type",))]
    """Conditions by type; Ready tells whether the MyResource is ready."""
    replicas: Annotated[int, Field(ge=0)]
    """Number of existing Pods, without surplus Pods such as the extra ones of a rolling update."""
    ready_replicas: Annotated[int, Field(ge=0)] | None = None
    """Number of ready Pods, without surplus Pods and Pods that keep failing."""
    updated_replicas: Annotated[int, Field(ge=0)] | None = None
    """Number of Pods that were created from the current spec, ready or not; absent while the Deployment differs from it."""  # noqa: E501 - a description has no line breaks
    counted_at: Timestamp | None = None
    """Time when readyReplicas or updatedReplicas last changed; absent once the MyResource is Ready."""
    selector: Annotated[str, Field(max_length=253)]
    """Label selector of the Pods, for kubectl scale and autoscalers."""
    image: Annotated[str, Field(max_length=1024)] | None = None
    """Image in the Deployment, as its controller observed it last, or a minute after it was written."""
    url: Annotated[str, Field(max_length=1024)] | None = None
    """Address of the application outside of the cluster, while the condition Exposed is True."""
    address: Annotated[str, Field(max_length=253)] | None = None
    """Address of the application inside the cluster, with the first port of the spec; absent without a Service."""
    ready_generation: Annotated[int, Field(ge=0, json_schema_extra={"format": "int64"})] | None = None
    """Last generation of the MyResource that was Ready."""
    schedule: ScheduleStatus | None = None
    """The state of the schedule, if the spec has one."""
    waiting: PendingChange | None = None
    """The desired change that has not been observed yet, if there is one."""
    override: Override | None = None
    """The last change of a child by another user or controller in this generation, if there was one."""
