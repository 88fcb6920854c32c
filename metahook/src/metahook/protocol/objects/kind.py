"""A kind of objects, as Kubernetes names it."""

from dataclasses import dataclass
from functools import cached_property


def group_key(*, kind: str, api_version: str) -> str:
    """Return the key under which Metacontroller groups objects, such as ``Deployment.apps/v1``."""
    return f"{kind}.{api_version}"


@dataclass(frozen=True, order=True)
class Kind:
    """A kind, such as ``Kind("apps/v1", "Deployment", "deployments")``."""

    api_version: str
    """Group and version; the version alone for the core group."""
    kind: str
    """The singular, in CamelCase."""
    plural: str
    """The resource, as it stands in URLs and in RBAC rules."""
    namespaced: bool = True
    """Whether its objects are in namespaces; if not, the kind is cluster-scoped, as Namespace is."""

    @cached_property
    def group_key(self) -> str:
        """The key under which Metacontroller groups objects of this kind, such as ``Deployment.apps/v1``."""
        return group_key(kind=self.kind, api_version=self.api_version)
