"""Which related objects a sync needs. From the spec alone: Metacontroller caches the answer per generation.

Rules cost Metacontroller work for every event of their kind, so there are few: only the Service of our name, to see
whether somebody else has it.
"""

from app.api.reading import InvalidSpec, read
from app.core.identity import service_name
from app.core.service import wants_service
from app.hooks import CustomizeRequest, RelatedRule, Service, named


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Return the related rules of the parent of *request*."""
    parent = request.parent
    spec = read(parent.name, parent.spec)
    if isinstance(spec, InvalidSpec) or not wants_service(spec):
        return []
    return [named(Service, parent.namespace, service_name(parent))]
