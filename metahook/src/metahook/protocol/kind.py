"""A kind of objects, as Kubernetes names it."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Kind:
    """A kind, such as ``Kind("apps/v1", "Deployment", "deployments")``."""

    api_version: str
    """Group and version; the version alone for the core group."""
    kind: str
    """The singular, in CamelCase."""
    plural: str
    """The resource, as it stands in URLs and in RBAC rules."""

    @property
    def group_key(self) -> str:
        """The key under which Metacontroller groups objects of this kind, such as ``Deployment.apps/v1``."""
        return f"{self.kind}.{self.api_version}"
