"""Another version of the operator: one whose Pods get 60 seconds to end, and whose rules are others."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.service.operator import served
from toolkit.served.process import Served

PATH = "spec.template.spec.terminationGracePeriodSeconds"

_SOURCE = """
import app.core.desired.manifests.deployment
from tests.cli.other_version import longer

app.core.desired.manifests.deployment.pod_template = longer(app.core.desired.manifests.deployment.pod_template)

from app.cli import main

main()
"""


def longer(template: Any) -> Any:
    """Return the function *template*, changed: Pods get 60 seconds to end."""

    def changed(*arguments: Any) -> dict[str, Any]:
        made = template(*arguments)
        return {**made, "spec": {**made["spec"], "terminationGracePeriodSeconds": 60}}

    return changed


@contextmanager
def other_version() -> Iterator[Served]:
    """Serve the other version."""
    with served(sys.executable, "-c", _SOURCE, "serve") as hook:
        yield hook
