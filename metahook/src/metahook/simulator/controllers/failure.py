"""How a container fails, or that it runs.

A word in the tag of its image decides, or ``Kubelet.fail`` for all containers.
"""

import re
from dataclasses import dataclass
from enum import Enum


class Failure(Enum):
    """The failure of a container; RUNS is none."""

    RUNS = "runs"
    BAD_IMAGE = "bad-image"
    CRASH = "crash"
    OOM = "oom"
    SLOW = "slow"
    CONFIG_ERROR = "config-error"
    UNSCHEDULABLE = "unschedulable"
    UNREADY = "unready"
    EVICTED = "evicted"
    NODE_LOST = "node-lost"


EXITING = (Failure.CRASH, Failure.OOM)
"""Failures in which a container exits and is restarted."""

_WORDS = {
    "bad": Failure.BAD_IMAGE,
    "crash": Failure.CRASH,
    "oom": Failure.OOM,
    "slow": Failure.SLOW,
    "config-error": Failure.CONFIG_ERROR,
    "unschedulable": Failure.UNSCHEDULABLE,
    "unready": Failure.UNREADY,
    "evicted": Failure.EVICTED,
    "node-lost": Failure.NODE_LOST,
}


def failure_of_image(image: str) -> Failure:
    """Return the failure that a word in the tag of *image* names, as in ``nginx:bad`` or ``nginx:1.28-crash``."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    words = f"-{'-'.join(re.split('[^a-z]+', tag))}-"
    return next((failure for word, failure in _WORDS.items() if f"-{word}-" in words), Failure.RUNS)


@dataclass(frozen=True)
class Times:
    """Durations, in seconds."""

    schedule: float = 0.1
    pull: float = 1.0
    start: float = 1.0
    slow_start: float = 45.0
    crash: float = 1.0
    """From the start of a container to its crash."""
    evict: float = 60.0
    """From the start of a container to its eviction: the kubelet measures volumes once a minute."""
    stop: float = 1.0
    recheck: float = 1.0
    """Until the kubelet checks a failed container again."""
    back_off: float = 10.0
    """Before the first delayed restart; each further one waits twice as long."""
    longest_back_off: float = 300.0

    def back_off_after(self, failures: int) -> float:
        """Return the wait after so many *failures*."""
        return min(self.back_off * 2.0 ** min(failures - 1, 10), self.longest_back_off)
