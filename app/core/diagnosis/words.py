"""The words of each cause: one class for each reason that Pods give, with one field for each word of its message.

So a message can't lack a word: mypy refuses a cause without it, and tests/core/test_reasons.py a message that has
another one.
"""

from dataclasses import dataclass
from typing import ClassVar

from app.core.reasons import (
    CONTAINER_CONFIG_ERROR,
    CRASH_LOOPING,
    EVICTED,
    IMAGE_PULL_FAILED,
    NODE_LOST,
    OOM_KILLED,
    POD_REJECTED,
    PREEMPTED,
    PROBE_FAILING,
    RUN_CONTAINER_ERROR,
    UNSCHEDULABLE,
    Reason,
)


@dataclass(frozen=True)
class CauseWords:
    """The words for the message of a ``reason``; ``who`` is the container, as the subject of a sentence."""

    reason: ClassVar[Reason]


@dataclass(frozen=True)
class ImageWords(CauseWords):
    """An image that is not on the node."""

    reason = IMAGE_PULL_FAILED
    who: str
    problem: str
    remedy: str


@dataclass(frozen=True)
class ConfigWords(CauseWords):
    """A container that can't be created."""

    reason = CONTAINER_CONFIG_ERROR
    who: str
    why: str


@dataclass(frozen=True)
class StartWords(CauseWords):
    """A container whose command can't be started."""

    reason = RUN_CONTAINER_ERROR
    who: str
    remedy: str


@dataclass(frozen=True)
class MemoryWords(CauseWords):
    """A container that took too much memory; ``where`` begins with a space, or is empty."""

    reason = OOM_KILLED
    who: str
    where: str
    remedy: str


@dataclass(frozen=True)
class CrashWords(CauseWords):
    """A container that keeps exiting; ``command`` and its ``options`` are those of kubectl that tell more."""

    reason = CRASH_LOOPING
    who: str
    code: str
    hint: str
    command: str
    options: str


@dataclass(frozen=True)
class EvictionWords(CauseWords):
    """A Pod that was evicted."""

    reason = EVICTED
    why: str
    remedy: str


@dataclass(frozen=True)
class PreemptionWords(CauseWords):
    """A Pod that made room for Pods of a higher priority."""

    reason = PREEMPTED
    remedy: str


@dataclass(frozen=True)
class RejectionWords(CauseWords):
    """A Pod that its node did not take."""

    reason = POD_REJECTED
    why: str


@dataclass(frozen=True)
class NodeLostWords(CauseWords):
    """A Pod whose node does not respond."""

    reason = NODE_LOST


@dataclass(frozen=True)
class SchedulingWords(CauseWords):
    """A Pod that fits no node; ``constraints`` and ``claims`` begin with a comma, or are empty."""

    reason = UNSCHEDULABLE
    requests: str
    constraints: str
    claims: str


@dataclass(frozen=True)
class ProbeWords(CauseWords):
    """A container that runs and is not ready."""

    reason = PROBE_FAILING
    who: str
    remedy: str
