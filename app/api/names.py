"""The names that Kubernetes knows this API by."""

GROUP = "mygroup.example.com"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
KIND = "MyResource"
PLURAL = "myresources"
SINGULAR = "myresource"
SHORT_NAME = "myr"

CONTAINER = "main"
"""The name of the container of the application."""

SHARD_LABEL = f"{GROUP}/shard"
"""The label of a MyResource that selects its shard. The CompositeControllers of the chart read it."""
