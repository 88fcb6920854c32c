"""Which related objects a sync needs. From the spec alone: Metacontroller caches the answer per generation.

Rules cost Metacontroller work for every event of their kind, so there are few: by name wherever names are known, and at
most one for each kind (so what is looked at anyway can't be a dependency: the operator's settings refuse it). The
Service of our name is among them, to see whether somebody else has it; and the Pods, by their label, to see why they
are not ready.
"""

from app.api.reading import InvalidSpec, read
from app.core.child_metadata import selector
from app.core.desired import config_hash, dependencies, optional_children
from app.core.watch import Watch
from metahook import CustomizeRequest, Pod, RelatedRule, select_by_labels


def customize(request: CustomizeRequest, watch: Watch) -> list[RelatedRule]:
    """Return the related rules of the parent of *request*."""
    parent = request.parent
    spec = read(parent.name, parent.spec)
    if isinstance(spec, InvalidSpec):
        return []
    return [
        *optional_children.rules(parent, spec),
        *([select_by_labels(Pod, parent.namespace, selector(parent))] if watch.pods else []),
        *config_hash.rules(parent.namespace, spec, watch),
        *dependencies.rules(parent.namespace, spec, watch),
    ]
