"""What the API server sets in a Deployment, a Service or an autoscaler where no user sets a value.

Source: Kubernetes, defaults.go in pkg/apis/apps/v1, pkg/apis/core/v1 and pkg/apis/autoscaling/v2.
"""

from typing import Any

from metahook.protocol.objects.object import Defaults

_PROBE = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
_PERCENT = {"periodSeconds": 15, "type": "Percent", "value": 100}
_SCALE_UP = {
    "policies": [{"periodSeconds": 15, "type": "Pods", "value": 4}, _PERCENT],
    "selectPolicy": "Max",
    "stabilizationWindowSeconds": 0,
}
_SCALE_DOWN = {"policies": [_PERCENT], "selectPolicy": "Max"}
_CONTAINER = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_VALUES: dict[str, dict[str, Any]] = {
    "spec": {
        "dnsPolicy": "ClusterFirst",
        "externalTrafficPolicy": "Cluster",
        "internalTrafficPolicy": "Cluster",
        "minReplicas": 1,
        "progressDeadlineSeconds": 600,
        "replicas": 1,
        "restartPolicy": "Always",
        "revisionHistoryLimit": 10,
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "sessionAffinity": "None",
        "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"},
        "terminationGracePeriodSeconds": 30,
        "type": "ClusterIP",
    },
    "containers": _CONTAINER,
    "initContainers": _CONTAINER,
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    "httpGet": {"path": "/", "scheme": "HTTP"},
    "grpc": {"service": ""},
    "configMap": {"defaultMode": 0o644},
    "secret": {"defaultMode": 0o644},
    "projected": {"defaultMode": 0o644},
    "fieldRef": {"apiVersion": "v1"},
    "resourceFieldRef": {"divisor": "0"},
    "ports": {"protocol": "TCP"},
    "behavior": {"scaleDown": _SCALE_DOWN, "scaleUp": _SCALE_UP},
    "scaleDown": _SCALE_DOWN,
    "scaleUp": _SCALE_UP,
}
"""Defaults by name, and by the name of the field that they are in."""

_ASSIGNED = {
    "allocateLoadBalancerNodePorts",
    "clusterIP",
    "clusterIPs",
    "healthCheckNodePort",
    "imagePullPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "nodePort",
    "targetPort",
}
"""Fields whose value the API server chooses, from its own state or from another field."""

DEFAULTS = Defaults(_VALUES, _ASSIGNED)
