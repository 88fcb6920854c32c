"""The page as one HTML document, with its style, its scripts and what it starts with inside. It loads nothing."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

import msgspec

from metahook.cli.errors import program_name
from metahook.protocol.objects import Json
from metahook.simulator.metacontroller.settings import Settings

SCRIPTS = ("model.js", "draw.js", "editor.js", "main.js")
"""In the order in which they import each other, with no name twice: they become one script."""

FAILURES = {
    "bad-image": "Image can't be pulled",
    "crash": "Containers crash",
    "oom": "Out of memory",
    "unready": "Probes fail",
    "slow": "Slow start",
    "config-error": "Configuration is missing",
    "unschedulable": "No node has room",
    "evicted": "Pods are evicted",
    "node-lost": "A node is lost",
    "fight": "Another autoscaler",
}
"""What can go wrong with all containers, by its name in a scenario."""

_FOLDER = Path(__file__).parent
_MODULE_LINES = re.compile(r"^import .*\n|^export (?=\w)", re.MULTILINE)


def page_data(settings: Settings, **more: object) -> Json:
    """Return what a page about parents of *settings* starts with: *more* if it is live, or has a ``simulation``."""
    return {
        "program": program_name(),
        "kinds": [f"{parent.kind.api_version}/{parent.kind.kind}" for parent in settings.parents],
        "live": False,
        "examples": [],
        "schemas": {},
        "failures": [{"name": name, "label": label} for name, label in FAILURES.items()],
        "steps": [],
        "simulation": None,
        **more,
    }


def document(data: Json) -> str:
    """Return the page that starts with *data*."""
    before, after = _parts()
    text = msgspec.json.encode(data).decode().replace("<", "\\u003c")  # no text of a user ends the element
    return f"{before}{text}{after}"


def policy() -> str:
    """Return the Content-Security-Policy: only what is in the document, and requests to the server that it is from."""
    style, script = _file("page.css"), _script()
    allowed = f"style-src {_hash(style)}; script-src {_hash(script)}; connect-src 'self'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


@cache
def _parts() -> tuple[str, str]:
    """Return the document before and after what it starts with."""
    page = _file("page.html").replace("<!-- policy -->", policy())
    page = page.replace("<!-- style -->", _file("page.css")).replace("<!-- script -->", _script())
    before, _, after = page.partition("<!-- start -->")
    return before, after


@cache
def _script() -> str:
    return "".join(_MODULE_LINES.sub("", _file(name)) for name in SCRIPTS)


def _hash(text: str) -> str:
    """Return the source of an inline element with *text*. Source: Content Security Policy Level 3, hash-source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _file(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
