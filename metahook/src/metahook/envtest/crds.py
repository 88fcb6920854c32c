"""CRDs: applied, and served."""

import time
from collections.abc import Sequence
from http import HTTPStatus

from metahook.envtest.client import Client, Refused
from metahook.envtest.discovery import UnknownKind
from metahook.protocol import Manifest

PATIENCE = 60.0
"""Seconds until the API server serves the kind of a CRD; long, because a machine that runs tests may be busy."""


def establish(client: Client, crds: Sequence[Manifest]) -> None:
    """Apply *crds*, and wait until the API server serves their kinds; raise TimeoutError."""
    for item in crds:
        client.apply(item)
    end = time.monotonic() + PATIENCE
    for item in crds:
        kind = f"{item['spec']['names']['kind']}.{item['spec']['group']}"
        while not _is_served(client, kind):
            if time.monotonic() > end:
                message = f"the API server does not serve {kind} within {PATIENCE:.0f} s"
                raise TimeoutError(message)
            time.sleep(0.1)


def _is_served(client: Client, kind: str) -> bool:
    """Return whether objects of *kind* can be listed, which is possible a moment after discovery knows the kind."""
    try:
        client.all(kind)
    except UnknownKind:
        return False
    except Refused as refused:
        if refused.status == HTTPStatus.NOT_FOUND:
            return False
        raise
    return True
