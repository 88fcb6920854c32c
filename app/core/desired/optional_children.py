"""The children that a spec may ask for beside the Deployment, and what the core must know of each kind.

They change rarely, so a related rule by name is cheap: it shows whether another object has the name.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.api.spec import MyResourceSpec
from app.core.child_metadata import service_name
from app.core.desired.service import service, wants_service
from metahook import Manifest, Object, Parent, RelatedRule, Service, select_by_name


@dataclass(frozen=True)
class OptionalChild:
    """A child of *kind*, which is there while ``is_desired``."""

    kind: type[Object]
    name: Callable[[Parent], str]
    is_desired: Callable[[MyResourceSpec], bool]
    manifest: Callable[[Parent, MyResourceSpec], Manifest]


OPTIONAL_CHILDREN = (OptionalChild(Service, service_name, wants_service, service),)


def desired_kinds(spec: MyResourceSpec) -> list[OptionalChild]:
    """Return those that *spec* asks for."""
    return [child for child in OPTIONAL_CHILDREN if child.is_desired(spec)]


def related_rules(parent: Parent, spec: MyResourceSpec) -> list[RelatedRule]:
    """Return the related rules for the objects that have the names of these children."""
    return [select_by_name(child.kind, parent.namespace, child.name(parent)) for child in desired_kinds(spec)]
