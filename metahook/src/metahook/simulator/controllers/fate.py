"""What becomes of a container: it runs, or it fails in one of the ways in which containers fail.

As on a real node, nobody is asked: the image decides, by a word in its tag, or whoever says that everything fails.
"""

import re
from dataclasses import dataclass
from enum import Enum


class Fate(Enum):
    """How a container ends up."""

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


ENDS = (Fate.CRASH, Fate.OOM)
"""Those in which a container ends, and is started again."""

_WORDS = {
    "bad": Fate.BAD_IMAGE,
    "crash": Fate.CRASH,
    "oom": Fate.OOM,
    "slow": Fate.SLOW,
    "config-error": Fate.CONFIG_ERROR,
    "unschedulable": Fate.UNSCHEDULABLE,
    "unready": Fate.UNREADY,
    "evicted": Fate.EVICTED,
    "node-lost": Fate.NODE_LOST,
}


def fate_of(image: str) -> Fate:
    """Return the fate that a word of the tag of *image* names, such as ``nginx:bad`` or ``nginx:1.28-crash``."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    words = f"-{'-'.join(re.split('[^a-z]+', tag))}-"
    return next((fate for word, fate in _WORDS.items() if f"-{word}-" in words), Fate.RUNS)


@dataclass(frozen=True)
class Times:
    """How long things take, in seconds."""

    schedule: float = 0.1
    pull: float = 1.0
    start: float = 1.0
    slow_start: float = 45.0
    crash: float = 1.0
    """From the start to the end of a container that crashes."""
    fill: float = 60.0
    """From the start of a container to its eviction: the kubelet measures volumes once a minute."""
    stop: float = 1.0
    look: float = 1.0
    """Until the kubelet looks again at a container that failed."""
    back_off: float = 10.0
    """Before the first restart that is not at once; each further one waits twice as long."""
    longest_back_off: float = 300.0

    def waits(self, failures: int) -> float:
        """Return how long is waited after so many *failures*."""
        return min(self.back_off * 2.0 ** min(failures - 1, 10), self.longest_back_off)
