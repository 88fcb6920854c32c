"""Examples of the rules of the spec's own fields, of the name, and of the rollout."""

from tests.api.examples.case import Example
from tests.requests.builders import Json

SHA256 = "sha256:" + "0f" * 32
SHA512 = "sha512:" + "0f" * 64


def _mounted(*volumes: str) -> Json:
    return {
        "volumes": [{"name": name, "emptyDir": {}} for name in volumes],
        "volumeMounts": [{"name": "cache", "mountPath": "/cache"}],
    }


def _rolling(**update: int | str) -> Json:
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": update}}


def _waiting_for(api_version: str, resource: str, name: str) -> Json:
    return {"dependencies": [{"apiVersion": api_version, "resource": resource, "name": name}]}


def _scaled(memory: int | None = 80, cpu: int | None = None, **bounds: int) -> Json:
    targets = {"targetMemoryUtilizationPercentage": memory, "targetCPUUtilizationPercentage": cpu}
    return {"autoscaling": {"maxReplicas": 9, **bounds, **{name: value for name, value in targets.items() if value}}}


ITSELF = Example(
    path="",
    says="dependencies must not name the MyResource itself",
    good=[
        {"dependencies": []},
        _waiting_for("mygroup.example.com/v1alpha1", "myresources", "other"),
        _waiting_for("mygroup.example.com/v1", "myresources", "web"),
        _waiting_for("mygroup.example.com/v1alpha1", "others", "web"),
    ],
    bad=[_waiting_for("mygroup.example.com/v1alpha1", "myresources", "web")],
)
NAME = Example(
    path="metadata.name",
    says="must have at most 52 characters",
    good=[{"name": name} for name in ("w", "web", "w-1", "w" * 52, "a--b")],
    bad=[{"name": name} for name in ("1web", "web-", "-web", "w" * 53, "a.b", "Web", "wéb", "web\n", "web_1")],
)
IMAGES = [
    "nginx", "nginx:1.27", "team/app", "a/b/c_d__e-f--g.h:V1_2.3-x", "localhost:5000/app",
    "Registry.Example.com/team/app:2.1", f"nginx@{SHA256}", f"nginx:1.27@{SHA512}", "nginx:" + "t" * 128,
]  # fmt: skip
NO_IMAGES = [
    "", " nginx", "nginx ", "nginx\n", "ng inx", "nginx:", "nginx@sha256:0f", f"nginx@{SHA256.upper()}", "Nginx",
    "team/App", "team//app", "/app", "app/", "a___b", "a..b", "https://example.com/app", "nginx:" + "t" * 129,
    "nginx:1.27:1", "café",
]  # fmt: skip
IMAGE = Example(
    path="spec.image",
    says="must be an image reference",
    good=[{"image": image} for image in IMAGES],
    bad=[{"image": image} for image in NO_IMAGES],
)
COMMAND = Example(
    path="spec.command",
    says="the first item must not be empty",
    good=[{"command": command} for command in ([], ["sh"], ["sh", ""], [" "])],
    bad=[{"command": command} for command in ([""], ["", "sh"])],
)
CPU_ONCE = Example(
    path="spec",
    says="CPU must not be set in both",
    good=[
        {"cpu": 1},
        {"cpu": 1, "resources": {}},
        {"cpu": 1, "resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}},
        {"resources": {"requests": {"cpu": 1}}},
    ],
    bad=[
        {"cpu": 1, "resources": {"requests": {"cpu": 1}}},
        {"cpu": 1, "resources": {"limits": {"cpu": 1}}},
        {"cpu": 1, "resources": {"requests": {"cpu": 1}, "limits": {"cpu": 1}}},
        {"cpu": 0, "resources": {"requests": {"memory": 1}, "limits": {"cpu": 0}}},
    ],
)
SCALED_ONCE = Example(
    path="spec",
    says="replicas must not be set beside autoscaling",
    good=[_scaled(), {"replicas": 1, **_scaled()}],
    bad=[{"replicas": number, **_scaled()} for number in (0, 2)],
)
CPU_TARGET = Example(
    path="spec",
    says="targetCPUUtilizationPercentage requires cpu",
    good=[
        {"cpu": 1, **_scaled(cpu=80)},
        *({"resources": {kind: {"cpu": 1}}, **_scaled(cpu=80)} for kind in ("requests", "limits")),
    ],
    bad=[_scaled(cpu=80), {"resources": {"requests": {"memory": "1Gi"}}, **_scaled(cpu=80)}],
)
SCALING_BOUNDS = Example(
    path="spec.autoscaling",
    says="minReplicas must not be greater than maxReplicas",
    good=[_scaled(minReplicas=9), _scaled(maxReplicas=1)],
    bad=[_scaled(minReplicas=10), _scaled(minReplicas=1000, maxReplicas=999)],
)
SCALING_TARGET = Example(
    path="spec.autoscaling",
    says="targetCPUUtilizationPercentage, targetMemoryUtilizationPercentage or both must be set",
    good=[_scaled(1), {"cpu": 1, **_scaled(None, 10000)}, {"cpu": 1, **_scaled(1, 1)}],
    bad=[_scaled(None)],
)
MOUNTS = Example(
    path="spec",
    says="each name in volumeMounts must",
    good=[{"volumeMounts": []}, _mounted("cache"), _mounted("other", "cache")],
    bad=[_mounted(), _mounted("other"), {"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}],
)
READY_IN_TIME = Example(
    path="spec",
    says="minReadySeconds must be less than progressDeadlineSeconds",
    good=[
        {"minReadySeconds": 599},
        {"minReadySeconds": 0, "progressDeadlineSeconds": 1},
        {"minReadySeconds": 600, "progressDeadlineSeconds": 601},
        {"progressDeadlineSeconds": 1},
    ],
    bad=[
        {"minReadySeconds": 600},
        {"minReadySeconds": 1, "progressDeadlineSeconds": 1},
        {"minReadySeconds": 61, "progressDeadlineSeconds": 60},
    ],
)
PRIORITY = Example(
    path="spec.priorityClassName",
    says="must not start with system-",
    good=[{"priorityClassName": name} for name in ("high", "system", "my-system-critical")],
    bad=[{"priorityClassName": name} for name in ("system-node-critical", "system-cluster-critical", "system-x")],
)
STRATEGY = Example(
    path="spec.strategy",
    says="type must be RollingUpdate when rollingUpdate is set",
    good=[
        {"strategy": {}},
        {"strategy": {"type": "Recreate"}},
        {"strategy": {"type": "RollingUpdate"}},
        {"strategy": {"rollingUpdate": {"maxSurge": 1}}},
        _rolling(maxSurge=1),
    ],
    bad=[
        {"strategy": {"type": "Recreate", "rollingUpdate": {}}},
        {"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}},
    ],
)
STEPS = Example(
    path="spec.strategy.rollingUpdate",
    says="maxSurge and maxUnavailable must not both be 0",
    good=[
        _rolling(),
        _rolling(maxSurge=0),
        _rolling(maxUnavailable="0%"),
        _rolling(maxSurge=1, maxUnavailable="0%"),
        _rolling(maxSurge="0%", maxUnavailable=1),
        _rolling(maxSurge="9999%", maxUnavailable="100%"),
    ],
    bad=[
        _rolling(maxSurge=0, maxUnavailable=0),
        _rolling(maxSurge=0, maxUnavailable="0%"),
        _rolling(maxSurge="0%", maxUnavailable=0),
        _rolling(maxSurge="0%", maxUnavailable="0%"),
    ],
)

HEADLESS = Example(
    path="spec.service",
    says="clusterIP None requires",
    good=[
        {"service": {"clusterIP": "None"}},
        {"service": {"clusterIP": "None", "type": "ClusterIP", "sessionAffinity": "None"}},
        {"service": {"type": "NodePort", "sessionAffinity": "ClientIP"}},
    ],
    bad=[
        {"service": {"clusterIP": "None", "type": "NodePort"}},
        {"service": {"clusterIP": "None", "type": "LoadBalancer"}},
        {"service": {"clusterIP": "None", "sessionAffinity": "ClientIP"}},
    ],
)

EXAMPLES = [
    HEADLESS,
    ITSELF,
    NAME,
    IMAGE,
    COMMAND,
    CPU_ONCE,
    SCALED_ONCE,
    CPU_TARGET,
    SCALING_BOUNDS,
    SCALING_TARGET,
    MOUNTS,
    READY_IN_TIME,
    PRIORITY,
    STRATEGY,
    STEPS,
]
