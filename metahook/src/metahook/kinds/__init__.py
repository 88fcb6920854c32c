"""Kinds: the objects that most hooks have as children or related objects, as observed.

The rule of this package: a struct has the fields that a hook reads, and no others; msgspec skips the rest. For a kind
of your own, write a subclass of :class:`metahook.protocol.Object` in your own project.

Nouns: *Deployment*, *Service*, *ConfigMap*, *Secret* and *Pod*, each in a module with its parts; *defaults* are what
the API server sets in them.

Imports protocol.
"""

from metahook.kinds.config_map import ConfigMap
from metahook.kinds.deployment import Deployment, DeploymentStatus
from metahook.kinds.pod import ContainerStatus, Pod, PodStatus, Terminated
from metahook.kinds.secret import Secret
from metahook.kinds.service import Service

__all__ = [
    "ConfigMap",
    "ContainerStatus",
    "Deployment",
    "DeploymentStatus",
    "Pod",
    "PodStatus",
    "Secret",
    "Service",
    "Terminated",
]
