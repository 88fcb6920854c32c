"""The defaults of a Service, and the fields that the API server removes when its type changes."""

from typing import Any

Json = dict[str, Any]

_ONLY_WITH_NODE_PORTS = ("externalTrafficPolicy", "allocateLoadBalancerNodePorts")


def with_service_defaults(spec: Json) -> Json:
    """Return the *spec* of a Service with its defaults and its allocated addresses."""
    kind = spec.get("type", "ClusterIP")
    opened = kind in ("NodePort", "LoadBalancer")
    fixed = {key: value for key, value in spec.items() if opened or key not in _ONLY_WITH_NODE_PORTS}
    balanced = {"allocateLoadBalancerNodePorts": True} if kind == "LoadBalancer" else {}
    return {
        "clusterIP": "10.0.0.7",
        "clusterIPs": ["10.0.0.7"],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "sessionAffinity": "None",
        "type": kind,
        **({"externalTrafficPolicy": "Cluster"} if opened else {}),
        **balanced,
        **fixed,
        "ports": [_port(port, opened=opened) for port in spec.get("ports", [])],
    }


def _port(port: Json, *, opened: bool) -> Json:
    given = {"protocol": "TCP", "targetPort": port["port"], **port}
    if opened:
        return {"nodePort": 30000 + port["port"] % 2768, **given}
    return {key: value for key, value in given.items() if key != "nodePort"}
