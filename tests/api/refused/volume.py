"""Bad volumes, mounts, and fields of the Pod."""

from tests.requests.builders import Json

CACHE = {"name": "cache", "emptyDir": {}}


def _item(key: str = "a", path: str = "a") -> Json:
    return {"volumes": [{"name": "cache", "configMap": {"name": "a", "items": [{"key": key, "path": path}]}}]}


def _mount(**fields: str) -> Json:
    return {"volumes": [CACHE], "volumeMounts": [{"name": "cache", "mountPath": "/cache", **fields}]}


def _from(**source: Json) -> Json:
    return {"env": [{"name": "A", "valueFrom": source}]}


def _file(field: str) -> Json:
    part = {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": field}}]}}
    return {"volumes": [{"name": "cache", "projected": {"sources": [part]}}]}


REFUSED: dict[str, list[Json]] = {
    "a key of a ConfigMap that is none": [
        fields
        for key in (".", "..", "..a", "a b", "")
        for fields in (_item(key), _from(configMapKeyRef={"name": "a", "key": key}))
    ],
    "a path out of the volume": [
        fields
        for path in ("/a", "../a", "a/../b", "..a", "a/..", "")
        for fields in (_item(path=path), _mount(subPath=path))
    ],
    "a mount path that is none": [_mount(mountPath=path) for path in ("a", "", "/", "/a:b")],
    "a field that Pods don't give": [
        *(_from(fieldRef={"fieldPath": path}) for path in ("spec.foo", "metadata.labels", "status.phase", "")),
        *(_file(path) for path in ("spec.nodeName", "status.podIP", "metadata.labels['a b']")),
    ],
    "a resource or a unit that containers don't have": [
        _from(resourceFieldRef={"resource": "limits.foo"}),
        _from(resourceFieldRef={"resource": "limits.memory", "divisor": "1Zi"}),
        _from(resourceFieldRef={"resource": "limits.cpu", "divisor": "1Mi"}),
    ],
    "a volume without a source or with two": [
        {"volumes": [{"name": "cache"}]},
        {"volumes": [{**CACHE, "secret": {"secretName": "a"}}]},
        {"volumes": [{"name": "cache", "hostPath": {"path": "/"}}]},
    ],
    "a mount of a volume that is not there": [{"volumeMounts": [{"name": "cache", "mountPath": "/cache"}]}],
}
