"""The machine of a run: its cores for the server and for the load, and its versions."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Cores(NamedTuple):
    """The numbers of two cores, or twice the same one if there is no other."""

    server: int
    load: int


def cores() -> Cores:
    """Return a core for the server and one for the load."""
    usable = sorted(os.sched_getaffinity(0))
    return Cores(usable[-1], usable[0])


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Run on *core* until the block ends. Processes that are started meanwhile stay there."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def description(used: Cores) -> dict[str, str]:
    """Return what a reader needs to know about the machine."""
    apart = used.server != used.load
    return {
        "processor": _processor(),
        "cores": "server and load on different cores" if apart else "server and load on ONE core: ratios are blurred",
        "python": platform.python_version(),
        "go": _go(),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _go() -> str:
    go = shutil.which("go")
    if go is None:
        return "none"
    version = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=False)  # noqa: S603 - ours
    return version.stdout.strip().removeprefix("go")
