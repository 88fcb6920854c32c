"""Kinds: what is read of the objects that most hooks have as children or related objects.

The rule of this package: a kind has the fields that a hook reads, and no others; what it leaves out is skipped while
parsing. A kind of your own needs no place here: any subclass of :class:`metahook.protocol.Object` is one.

Nouns: *Deployment*, *Service*, *ConfigMap*, *Secret* and *Pod*, each in a module with the parts that it has.

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
