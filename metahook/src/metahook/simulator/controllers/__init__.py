"""Kubernetes' own controllers, as far as a rollout needs them: Deployments, ReplicaSets, a kubelet, garbage collection.

The rule of this package: each controller reacts to events of the API server after a delay, and writes only through it.

    deployment_controller   ReplicaSets for Deployments; ``rollout`` has the sizes, ``deployment_status`` the status
    replica_set_controller  Pods for ReplicaSets
    stateful_set_controller the status of StatefulSets
    kubelet                 the status of Pods: ``pod_lifecycle`` says which statuses follow one another, and how a
                            container fails; ``pod_status`` what each of them contains
    autoscaler              scales Deployments to a number that stays the same
    garbage_collector       deletes what no longer has an owner
    delayed_queue           shared by them: when a controller reconciles, and which objects are its own
"""
