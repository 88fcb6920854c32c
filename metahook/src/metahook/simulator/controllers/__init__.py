"""Kubernetes' own controllers, as far as a rollout needs them: Deployments, ReplicaSets, a kubelet, garbage collection.

The rule of this package: each controller reacts to events of the API server after a delay, and writes only through it.

    deployments         ReplicaSets for Deployments, whose sizes an autoscaler may change
    pod_owners          Pods for ReplicaSets, and the status of StatefulSets
    kubelet             which statuses of a Pod follow one another, and how a container fails; ``pod_status`` has them
    garbage_collector   deletes what no longer has an owner
    delayed_queue       shared by them: when a controller reconciles, and which objects are its own
"""
