"""Prometheus as a process on a free loopback port, and what is asked of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from charts.rendering import CHART
from metahook.envtest.process import Process, answers, free_port
from toolkit.programs import find_or_skip

Json = dict[str, Any]

ALERTS = CHART / "files/alerts.yaml"
JOB = "myresource-operator"
STEP = 1


@dataclass(frozen=True)
class Prometheus:
    """A Prometheus that runs."""

    url: str

    def get(self, path: str, **parameters: str | float) -> Any:
        """Return the data at *path* of the API."""
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, trust_env=False, timeout=30)
        assert answer.is_success, answer.text
        return answer.json()["data"]

    def query_range(self, expr: str, start: float, end: float, step: float = STEP) -> list[Json]:
        """Return the series of *expr* from *start* to *end*, in seconds since 1970."""
        found: list[Json] = self.get("query_range", query=expr, start=start, end=end, step=step)["result"]
        return found


@contextmanager
def prometheus(folder: Path, targets: dict[str, str]) -> Iterator[Prometheus]:
    """Run Prometheus with the alerts; each second it scrapes *targets*: addresses by the name of the job."""
    config = folder / "prometheus.yml"
    jobs = [
        {
            "job_name": name,
            "honor_labels": name != JOB,  # the namespace of a MyResource is not that of kube-state-metrics
            "static_configs": [{"targets": [address], "labels": {"namespace": name} if name == JOB else {}}],
        }
        for name, address in targets.items()
    ]
    interval = {"scrape_interval": f"{STEP}s", "evaluation_interval": f"{STEP}s"}
    config.write_text(yaml.safe_dump({"global": interval, "rule_files": [str(ALERTS)], "scrape_configs": jobs}))
    url = f"http://127.0.0.1:{free_port()}"
    listen = f"--web.listen-address={url.removeprefix('http://')}"
    command: Sequence[str] = [
        find_or_skip("prometheus"),
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'data'}",
    ]
    process = Process("prometheus", [*command, listen], folder, lambda: answers(f"{url}/-/ready"))
    process.start()
    try:
        yield Prometheus(url)
    finally:
        process.stop()
