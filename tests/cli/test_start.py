"""What ``serve`` imports until it has answered a first request. Each package takes time to start, and memory."""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.service.operator import served
from toolkit.served.asgi import JSON

ROOT = Path(__file__).parents[2]
REQUEST = (ROOT / "examples/requests/4-ready.json").read_bytes()

RUN = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)
"""The distributions that the image has."""

NOT_ITS = (
    "app.cli.files",
    "metahook.cli.comparison",
    "metahook.cli.files",
    "metahook.cli.simulation",
    "metahook.envtest",
    "metahook.simulator",
)
"""Packages of this repository that other commands need."""

CODE = """
import atexit, linecache, sys
report = open(sys.argv.pop(1), "w")
atexit.register(lambda: print(*sys.modules, "sources:", *linecache.cache, sep="\\n", file=report))
from app.cli import main
main()
"""


class Imported(NamedTuple):
    """The *modules* that a process imported, and the *sources* in this repository that it read."""

    modules: list[str]
    sources: list[str]


@pytest.fixture(name="report")
def _report(tmp_path: Path) -> Path:
    return tmp_path / "report"


def imported(report: Path, *options: str) -> Imported:
    """Return what ``serve`` with *options* has imported once it has answered."""
    script = report.with_name("serve.py")  # as python -c it would be forked from a process that has imported
    script.write_text(CODE)
    with served(sys.executable, str(script), str(report), "serve", *options) as hook:
        assert httpx.post(f"{hook.url}/sync", content=REQUEST, headers=JSON).is_success
    modules, _, sources = report.read_text().partition("sources:\n")
    return Imported(modules.split(), [source for source in sources.split() if "site-packages" not in source])


def needless(modules: list[str]) -> Iterator[str]:
    """Yield the distributions that *modules* are of, and that ``serve`` does without; and modules of other commands."""
    distributions = packages_distributions()
    packages = {module.partition(".")[0] for module in modules} - {"app", "metahook"}
    for package in packages - {"_distutils_hack"}:  # every Python of a virtual environment imports it
        names = {name.lower().replace("_", "-") for name in distributions.get(package, ())}
        yield from (name for name in names if name not in RUN)
    yield from (module for module in modules if module.startswith(NOT_ITS))


def test_serve_imports_only_what_it_needs(report: Path) -> None:
    found = imported(report)

    assert "fastapi" in found.modules
    assert sorted(needless(found.modules)) == []
    # Sources are read for descriptions of fields, which are for the help and the CRD.
    assert found.sources == []
