"""The names that Kubernetes knows this API by."""

GROUP = "mygroup.example.com"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
KIND = "MyResource"
PLURAL = "myresources"
SINGULAR = "myresource"
SHORT_NAME = "myr"
