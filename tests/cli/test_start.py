"""What ``serve`` imports until it has answered a first request. Each package takes time to start, and memory."""

import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import httpx

from tests.service.operator import served
from toolkit.served.asgi import JSON

ROOT = Path(__file__).parents[2]
REQUEST = (ROOT / "examples/requests/4-ready.json").read_bytes()

RUN = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements/run.txt").read_text(), re.MULTILINE)
"""The distributions that the image has."""

NOT_ITS = (
    "app.cli.bound",
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


def test_serve_imports_only_what_it_needs(tmp_path: Path) -> None:
    script, report = tmp_path / "serve.py", tmp_path / "report"
    script.write_text(CODE)  # as python -c it would be forked from a process that has imported
    with served(sys.executable, str(script), str(report), "serve") as hook:
        assert httpx.post(f"{hook.url}/sync", content=REQUEST, headers=JSON).is_success
    modules, sources = (part.split() for part in report.read_text().split("sources:\n"))

    # Every Python of a virtual environment imports _distutils_hack.
    packages = {module.partition(".")[0] for module in modules} - {"app", "metahook", "_distutils_hack"}
    distributions = packages_distributions()
    names = {name.lower().replace("_", "-") for package in packages for name in distributions.get(package, ())}
    assert "fastapi" in modules
    assert sorted(names - {*RUN}) == []
    assert [module for module in modules if module.startswith(NOT_ITS)] == []
    # Sources are read for descriptions of fields, which are for the help and the CRD. FastAPI reads an endpoint.
    others = [source for source in sources if "site-packages" not in source]
    assert [source for source in others if not source.endswith("metahook/server/calls.py")] == []
