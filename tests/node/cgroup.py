"""The memory of Pods, as their cgroups count it."""

import os
import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def is_v1() -> bool:
    """Return whether this machine has cgroup v1."""
    return not (_ROOT / "cgroup.controllers").exists()


def working_set(pod: str) -> int:
    """Return the bytes of the Pod with the uid *pod*, less the files that can be dropped, as ``kubectl top`` does."""
    folder = _folder(pod)
    used = int((folder / ("memory.usage_in_bytes" if is_v1() else "memory.current")).read_text())
    inactive = "total_inactive_file" if is_v1() else "inactive_file"
    counts = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    return used - int(counts[inactive])


def started(pod: str) -> float:
    """Return when the newest process of the Pod with the uid *pod* was started, in seconds since the epoch."""
    pids = [pid for file in _folder(pod).glob("**/cgroup.procs") for pid in file.read_text().split()]
    after_boot = max(int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]) for pid in pids)
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + after_boot / os.sysconf("SC_CLK_TCK")


def remove_empty() -> None:
    """Remove the cgroups of Pods that are gone."""
    for folder in sorted(_ROOT.glob("**/kubepods/**/"), reverse=True):
        try:
            folder.rmdir()
        except OSError:
            continue


def _folder(pod: str) -> Path:
    root = _ROOT / "memory" if is_v1() else _ROOT
    (found,) = root.glob(f"kubepods/**/pod{pod}")
    return found
