"""The parts of a spec that a Pod has: containers, volumes, and where it runs.

    pod               metadata, and the Secrets for pulling its image
    container         what the application and the init containers have
    init_container    what only init containers have
    port              ports of the application, and of a sidecar
    resources         requests and limits of a container
    probe             how the kubelet checks a container
    lifecycle         what the kubelet does after a container starts, and before it stops
    volume            volumes and their sources
    affinity          nodes, and other Pods, that a Pod prefers, requires or avoids
    scheduling        tolerations, and topology spread constraints
    name_resolution   DNS settings, and the hosts file

Imports values.
"""
