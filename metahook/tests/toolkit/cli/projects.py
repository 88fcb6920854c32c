"""Projects of ``metahook new``: the arguments for some, and their hooks."""

import os
import subprocess
import sys
from pathlib import Path

from metahook import Controller
from metahook.cli.commands.new import OFFERED
from metahook.cli.hooks.named_hook import read_controller

SITE = ["site", "--parent", "example.com/v1/StaticSite", "--child", "Deployment", "--child", "Service"]
TENANT = ["acme", "--parent", "example.com/v1/Tenant", "--cluster-scoped", "--child", "Namespace"]
TENANT += [word for kind in ("ResourceQuota", "Role", "RoleBinding", "NetworkPolicy") for word in ("--child", kind)]
DECORATOR = ["db", "--decorate", "apps/v1/StatefulSet", "--child", "Service", "--child", "PodDisruptionBudget"]
EVERY_KIND = ["every", "--parent", "example.com/v1alpha1/Policy"]
EVERY_KIND += [word for kind in sorted(OFFERED) if kind != "Namespace" for word in ("--child", kind)]
FINALIZING = ["cfg", "--parent", "example.com/v1/Setting", "--child", "ConfigMap", "--child", "Secret", "--finalize"]
PROJECTS = {
    "a site": SITE,
    "a tenant": [*TENANT, "--finalize"],
    "a decorator": DECORATOR,
    "every kind": EVERY_KIND,
    "with finalize": FINALIZING,
    "a finalizing decorator": ["fin", *DECORATOR[1:], "--finalize"],
}

_MODULES = ("hook", "children", "model")
_UNUSED = ("cacheprovider", "schemathesis", "xdist", "cov", "anyio")


def controller_of(folder: Path) -> Controller:
    """Return the Controller of the project in *folder*, whose modules have the names of those of other projects."""
    path = [*sys.path]
    try:
        return read_controller(f"{folder / 'hook.py'}:CONTROLLER")
    finally:
        sys.path[:] = path
        for module in _MODULES:
            sys.modules.pop(module, None)


def run(folder: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in *folder*."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={
            **os.environ,
            "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:schemathesis -p no:xdist -p no:cov -p no:anyio",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
