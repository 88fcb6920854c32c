"""The recorded requests of tests/data/requests, which have children of kinds that this hook does not make."""

import json
from pathlib import Path

from toolkit.builders import Json

DIRECTORY = Path(__file__).parents[1] / "data" / "requests"
DYNAMIC_APPLY = "dynamic-apply"
SERVER_SIDE_APPLY = "server-side-apply"


def recorded(mode: str) -> Json:
    """Return the request that was recorded under the apply strategy *mode*."""
    request: Json = json.loads((DIRECTORY / f"{mode}.json").read_text())
    return request
