"""The schema of a MyResource, from the file crd.json: the CRD as :mod:`app.api.crd` makes it from the models.

It is read, because making it takes longer than all else that a command does. ``make generate`` writes the file.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

Schema = dict[str, Any]


def schema() -> Schema:
    """Return the structural schema of a MyResource."""
    crd = msgspec.json.decode(files(__package__).joinpath("crd.json").read_bytes())
    found: Schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


@cache
def spec_schema() -> Schema:
    """Return the structural schema of the spec."""
    found: Schema = schema()["properties"]["spec"]
    return found
