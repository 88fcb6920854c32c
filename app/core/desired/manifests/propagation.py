"""Propagation: the labels and annotations of a MyResource that its spec lists, for the metadata of its children.

The Pod template gets none of them: a change of a label would restart the Pods. A route gets no annotation: there it
could configure the ingress controller, which serves other users, too.
"""

from collections.abc import Mapping

from app.api.scalars import is_writable
from app.api.spec import MyResourceSpec
from app.core.desired.manifests.routes import ROUTES
from metahook import Manifest, Parent

_ROUTES = {kind.KIND.kind for kind in ROUTES}

Texts = Mapping[str, Mapping[str, str]]
"""Values by key, by ``labels`` and ``annotations``."""


def propagated(parent: Parent, spec: MyResourceSpec) -> Texts:
    """Return what *spec* lists of the metadata of *parent*, as far as it is there, and can be applied."""
    if spec.propagate is None:
        return {}
    lists = {
        "labels": (spec.propagate.labels, parent.labels),
        "annotations": (spec.propagate.annotations, parent.annotations),
    }
    return {
        field: {key: own[key] for key in keys if key in own and is_writable(own[key])}
        for field, (keys, own) in lists.items()
        if keys
    }


def with_propagated(child: Manifest, texts: Texts) -> Manifest:
    """Return *child* with *texts* in its metadata; what it has itself stays."""
    metadata = child["metadata"]
    taken = {"labels": texts.get("labels", {})} if child["kind"] in _ROUTES else texts
    merged = {field: {**values, **(metadata.get(field) or {})} for field, values in taken.items()}
    return {**child, "metadata": {**metadata, **merged}}
