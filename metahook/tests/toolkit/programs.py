"""Programs besides Python that tests and their make targets run: where they are, or how to get them."""

import os
import shutil
from typing import NoReturn

import pytest

_SOURCES = {
    "actionlint": "go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12",
    "chromium": "on Debian, apt-get install chromium",
    "go": "install Go 1.26",
    "gpg": "on Debian and Ubuntu, apt-get install gpg",
    "jq": "on Debian and Ubuntu, apt-get install jq",
    "kubectl": "put kubectl of a Kubernetes release on PATH, or into the folder KUBEBUILDER_ASSETS",
    "pipx": "on Debian and Ubuntu, apt-get install pipx",
    "kube-state-metrics": "build it from its source with go build, and put it on PATH",
    "prometheus": "on Debian and Ubuntu, apt-get install prometheus",
    "promtool": "on Debian and Ubuntu, apt-get install prometheus",
}
"""How to get each program."""


class Missing(Exception):
    """Raised if something can't run on this machine. The message says what is missing, and how to get it."""


def find(name: str, *others: str, path: str | None = None) -> str:
    """Return where the program *name*, or the first of its *other* names, is on PATH or on *path*; raise Missing."""
    found = next(filter(None, (shutil.which(each, path=path) for each in (name, *others))), None)
    if found is None:
        message = f"{name} is not installed: {_SOURCES[name]}"
        raise Missing(message)
    return found


def find_or_skip(name: str, path: str | None = None) -> str:
    """Return where the program *name* is on PATH or on *path*; without it, skip the test as ``skip`` does."""
    try:
        return find(name, path=path)
    except Missing as missing:
        skip(missing)


def skip(missing: Missing) -> NoReturn:
    """Skip the test; fail it in hosted CI, which sets CI."""
    # Otherwise a job of hosted CI without its program would pass, and would have tested nothing
    if os.environ.get("CI"):
        pytest.fail(str(missing))
    pytest.skip(str(missing))
