"""What a MyResource depends on: the configuration that it reads, and the objects that it waits for."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.values.model import ListMap, Model, Omitted, Rule
from app.api.values.names import API_VERSION, PLURAL
from app.api.values.scalar import ObjectName

_GROUP = "([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"

ANY_STATE = "Exists"
"""The condition that every existing object meets."""


class ConfigReload(Model):
    """What happens when a ConfigMap or Secret that the application uses changes."""

    mode: Literal["Auto", "Disabled"] = "Auto"
    """Auto (default) replaces the Pods when the value of a used key changes. Disabled never does."""


class Dependency(Model):
    """An object in the same namespace that must be ready before the application starts for the first time."""

    api_version: Annotated[str, Field(pattern=f"^{_GROUP}v[a-z0-9]+$", max_length=253)]
    """API group and version, such as example.com/v1."""
    resource: Annotated[str, Field(pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$", max_length=63)]
    """Plural name of the kind in lowercase, such as mybackups. The operator must be set up to watch this kind."""
    name: ObjectName
    """Name of the object."""
    condition: Annotated[str, Field(pattern="^[A-Za-z]([-A-Za-z0-9_./]*[A-Za-z0-9])?$", max_length=316)] = "Ready"
    """Condition in its status that must be True; default Ready. With Exists, the object only has to exist."""


Dependencies = Annotated[
    list[Dependency],
    Field(max_length=16),
    ListMap(("apiVersion", "resource", "name")),
    Omitted,
]


def _is_another(named: "tuple[str, list[Dependency] | None]") -> bool:
    own, dependencies = named
    itself = (API_VERSION, PLURAL, own)
    return all((item.api_version, item.resource, item.name) != itself for item in dependencies or [])


NOT_ITSELF = Rule(
    "dependencies must not name the MyResource itself: it would never start",
    _is_another,
    cel="!has(self.spec.dependencies) || self.spec.dependencies.all(d, "
    f"d.apiVersion != '{API_VERSION}' || d.resource != '{PLURAL}' || d.name != self.metadata.name)",
)
"""Of a MyResource's name and its dependencies. The only rule that needs both, so it stands on the CRD's root."""
