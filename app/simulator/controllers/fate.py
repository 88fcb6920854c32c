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


_WORDS = {"bad": Fate.BAD_IMAGE, "crash": Fate.CRASH, "oom": Fate.OOM, "slow": Fate.SLOW}


def fate_of(image: str) -> Fate:
    """Return the fate that a word of the tag of *image* names, such as ``nginx:bad`` or ``nginx:1.28-crash``."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    words = re.split("[^a-z]+", tag)
    return next((fate for word, fate in _WORDS.items() if word in words), Fate.RUNS)


@dataclass(frozen=True)
class Times:
    """How long things take, in seconds."""

    schedule: float = 0.1
    pull: float = 1.0
    start: float = 1.0
    slow_start: float = 45.0
    stop: float = 1.0
    back_off: float = 10.0
    """Before the first restart; each further one waits twice as long."""
    longest_back_off: float = 300.0
