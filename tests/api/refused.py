"""Bad specs that the Deployment, the Service, the kubelet or nobody would refuse, and no rule with a message does."""

from tests.api.examples.schedule import schedule
from tests.requests.builders import Json

_CACHE = {"name": "cache", "emptyDir": {}}


def _item(key: str = "a", path: str = "a") -> Json:
    return {"volumes": [{"name": "cache", "configMap": {"name": "a", "items": [{"key": key, "path": path}]}}]}


def _mount(**fields: str) -> Json:
    return {"volumes": [_CACHE], "volumeMounts": [{"name": "cache", "mountPath": "/cache", **fields}]}


def _file(field: str) -> Json:
    part = {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": field}}]}}
    return {"volumes": [{"name": "cache", "projected": {"sources": [part]}}]}


REFUSED: dict[str, list[Json]] = {
    "a key of a ConfigMap that is none": [_item(key) for key in (".", "..", "..a", "a b", "")],
    "a path out of the volume": [
        fields
        for path in ("/a", "../a", "a/../b", "..a", "a/..", "")
        for fields in (_item(path=path), _mount(subPath=path))
    ],
    "a mount path that is none": [_mount(mountPath=path) for path in ("a", "", "/", "/a:b")],
    "a field that Pods don't give": [
        *(
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": path}}}]}
            for path in ("spec.foo", "metadata.labels", "status.phase", "")
        ),
        *(_file(path) for path in ("spec.nodeName", "status.podIP", "metadata.labels['a b']")),
    ],
    "a variable's name that is none": [{"env": [{"name": name}]} for name in ("1A", "A B", "", "..", ".", "A=B")],
    "a key that is none": [{"tolerations": [{"key": key, "operator": "Exists"}]} for key in ("a b", "-a", "a/b/c", "")],
    "a label value that is none": [{"podMetadata": {"labels": {"a": value}}} for value in ("-a", "a b", "a\n")],
    "a name that is none": [
        {"volumes": [{"name": "Cache", "emptyDir": {}}]},
        *({"imagePullSecrets": [{"name": name}]} for name in ("", "Secret", "a_b", "a.", "a\n")),
        {"dnsConfig": {"searches": ["Example.com"]}},
    ],
    "another line of the resolver's configuration": [
        {"dnsConfig": {"options": [option]}}
        for option in ({"name": "a\nnameserver 192.0.2.1"}, {"name": "ndots", "value": "1\nnameserver 192.0.2.1"})
    ],
    "a name that no port can have, in a probe": [
        {"livenessProbe": {"httpGet": {"port": name}}} for name in ("80", "a--b", "HTTP", "")
    ],
    "a path in place of a time zone": [
        schedule(timeZone=name) for name in ("../etc/passwd", "/etc/localtime", "Europe//Berlin", "UTC ", "")
    ],
}
"""What a pattern refuses, by what is wrong. (Bounds and enums stand in the CRD as they stand in the models.)"""

HOOK_ONLY: dict[str, list[Json]] = {
    "two projected sources with the same path": [
        {
            "volumes": [
                {
                    "name": "all",
                    "projected": {
                        "sources": [
                            {"secret": {"name": "a", "items": [{"key": "a", "path": "same"}]}},
                            {"configMap": {"name": "b", "items": [{"key": "b", "path": "same"}]}},
                        ]
                    },
                }
            ]
        }
    ],
    "source ranges that are no networks": [
        {
            "service": {"annotations": {"service.beta.kubernetes.io/load-balancer-source-ranges": text}, "type": kind},
            "ports": [{"containerPort": 80}],
        }
        for text, kind in (("x", "LoadBalancer"), ("10.0.0.0/8", "ClusterIP"))
    ],
    "a time zone that there is not": [
        schedule(timeZone=name) for name in ("Europe/Bonn", "europe/berlin", "Europe", "zones", "Local", "__init__")
    ],
    "a day that no calendar has": [
        schedule(**{"except": ["2026-02-28", "2026-02-29"]}),
        schedule(overrideUntil="2026-02-30T12:00:00Z"),
    ],
}
"""What CEL can't say within its budget: stored, and InvalidSpec."""
