"""Kinds: the objects that most hooks have as children or related objects, as observed.

The rule of this package: a struct has the fields that a hook reads, and no others; msgspec skips the rest. For a kind
of your own, write a subclass of :class:`metahook.Object` in your own project.

    deployment, service, config_map, secret, pod, namespace, ingress, http_route, pod_disruption_budget,
    horizontal_pod_autoscaler   each has the struct of one kind, with its parts
    defaults                    what the API server sets in them

Imports protocol.
"""
