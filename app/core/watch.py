"""What the operator watches besides MyResources and their children, what it allows, and where its pages are.

It is the same for all MyResources of a cluster.

Each watched kind costs Metacontroller a cache of all its objects, and the rights to read them.
"""

from msgspec import Struct

from metahook import ConfigMap, Kind, Object, Secret

DOCS_URL = "docs"
"""Where the pages are by default: in the repository, which nobody in a cluster has."""


class Watch(Struct, frozen=True):
    """What is watched besides MyResources, their children and ConfigMaps; what is allowed; and where the pages are."""

    pods: bool = True
    """Whether Pods explain why a MyResource is not Ready."""
    secrets: bool = False
    """Whether changed Secrets replace Pods; Metacontroller then keeps all Secrets of the cluster in memory."""
    dependencies: tuple[Kind, ...] = ()
    """The kinds that MyResources may wait for."""
    expected_managers: tuple[str, ...] = ()
    """The field managers that may add fields to children; ``*`` means all."""
    allowed_annotations: tuple[str, ...] = ()
    """The annotation keys, and prefixes that end in ``/``, that MyResources may set on their children; none: all."""
    docs_url: str = DOCS_URL
    """Where the pages are that messages name."""

    def dependency_kind(self, api_version: str, resource: str) -> Kind | None:
        """Return the kind of a dependency, or None if it is not watched."""
        key = (api_version, resource)
        return next((kind for kind in self.dependencies if (kind.api_version, kind.plural) == key), None)

    def allows(self, key: str) -> bool:
        """Tell whether a MyResource may set the annotation *key* on its children."""
        allowed = self.allowed_annotations
        return not allowed or any(key == each or (each.endswith("/") and key.startswith(each)) for each in allowed)

    @property
    def config(self) -> tuple[type[Object], ...]:
        """Return the watched kinds of configuration."""
        return (ConfigMap, Secret) if self.secrets else (ConfigMap,)
