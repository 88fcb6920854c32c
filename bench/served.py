"""Sends the served hook the largest request that the docs promise to answer, over HTTP: ``make bench``.

``bench.pods`` calls the hook in process, and would not detect a limit of the server.
"""

from pathlib import Path

import httpx

from tests import large
from tests.calling import JSON
from tests.serving import served

TIMEOUT = 60
"""Seconds."""

MIB = 1024 * 1024


def memory(pid: int) -> str:
    """Return the peak memory of a process, as text."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    most = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return f"{most // 1024} MiB of memory"


def main() -> int:
    """Print how the hook answers; return 1 if it refuses."""
    body = large.request()
    with served() as hook:
        response = httpx.post(f"{hook.url}/sync", content=body, headers=JSON, timeout=TIMEOUT, trust_env=False)
        used = memory(hook.process.pid)
    what = f"{large.REPLICAS} Pods and {large.CONFIG_MAPS} ConfigMaps, {len(body) / MIB:.0f} MiB over HTTP"
    print(f"{what}: answered with {response.status_code}, in {used}")
    return 0 if response.is_success else 1


if __name__ == "__main__":
    raise SystemExit(main())
