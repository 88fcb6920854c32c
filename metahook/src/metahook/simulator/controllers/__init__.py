"""Kubernetes' own controllers, as far as a rollout needs them: Deployments, ReplicaSets, a kubelet, garbage collection.

The rule of this package: each reacts to what the API server tells it, a moment later, and writes what it sees.
"""
