"""The CPU time and the memory of a process. Source: proc(5)."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid: int) -> float:
    """Return the CPU seconds of a process, in user mode and in kernel mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory(pid: int) -> int:
    """Return the resident memory of a process in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) // 1024
