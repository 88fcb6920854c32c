"""The resources that a tree reads, as kubectl names them.

Only ``tree`` imports this: it needs the model of a spec, which takes twice as long to import as the rest of the plugin.
"""

import msgspec

from app import Json
from app.api.reading import InvalidSpec, read
from app.core.desired.children import CHILDREN, NOT_ALWAYS_LISTED, wanted
from metahook import Kind


def _resource(kind: Kind) -> str:
    """Return the resource of *kind*, such as ``deployments.apps``."""
    group, slash, _ = kind.api_version.rpartition("/")
    return f"{kind.plural}.{group}" if slash else kind.plural


OF_ALL = [
    *(_resource(kind.KIND) for kind in CHILDREN if kind not in NOT_ALWAYS_LISTED),
    "replicasets.apps",
    "pods",
]
"""Those that are read for every MyResource."""


def of_some(parent: Json) -> list[str]:
    """Return the others, of which the spec of *parent* asks for a child: not everybody may list them.

    An invalid spec leaves the children as they are, so there may be one of any kind.
    """
    spec = read(parent["metadata"]["name"], msgspec.json.encode(parent["spec"]))
    kinds = CHILDREN if isinstance(spec, InvalidSpec) else [child.kind for child in wanted(spec)]
    return [_resource(kind.KIND) for kind in kinds if kind in NOT_ALWAYS_LISTED]
