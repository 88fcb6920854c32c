"""The policy: what whoever runs the operator decided for all MyResources of the cluster.

Each thing that is followed costs Metacontroller a cache of all objects of its kind, and the rights to read them.
"""

from dataclasses import dataclass

from metahook import ConfigMap, Kind, Object, Secret


@dataclass(frozen=True)
class Policy:
    """What is followed. The default follows Pods and ConfigMaps, no Secrets, and no kinds of others."""

    pods: bool = True
    """Whether Pods explain why a MyResource is not Ready."""
    secrets: bool = False
    """Whether changed Secrets replace Pods; Metacontroller then keeps all Secrets of the cluster in memory."""
    dependencies: tuple[Kind, ...] = ()
    """The kinds that MyResources may wait for."""

    def dependency_kind(self, api_version: str, resource: str) -> Kind | None:
        """Return the kind that may be waited for, or None if it is not followed."""
        asked = (api_version, resource)
        return next((kind for kind in self.dependencies if (kind.api_version, kind.plural) == asked), None)

    @property
    def config(self) -> tuple[type[Object], ...]:
        """Return the kinds whose contents are followed."""
        return (ConfigMap, Secret) if self.secrets else (ConfigMap,)
