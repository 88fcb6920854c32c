"""Zero values: left out where the API server would not store them, kept where they say something."""

import pytest

from app.api.spec import MyResourceSpec
from tests.api.apiserver import read_stored
from tests.api.examples.scheduling import PREFERRED, REQUIRED
from tests.requests.builders import Json, my_resource

POD_TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
KEY = {"name": "a", "key": "a"}


def _spec(fields: Json) -> MyResourceSpec:
    found = read_stored(my_resource(**fields))
    assert isinstance(found, MyResourceSpec)
    return found


ABSENT: Json = {
    **{name: [] for name in ("command", "args", "env", "envFrom", "ports", "hostAliases", "imagePullSecrets")},
    **{name: [] for name in ("volumes", "volumeMounts", "tolerations", "topologySpreadConstraints")},
    "resources": {"requests": {}, "limits": {}},
    "lifecycle": {},
    "dnsConfig": {"nameservers": [], "searches": [], "options": []},
    "nodeSelector": {},
    "affinity": {"nodeAffinity": {PREFERRED: []}, "podAffinity": {REQUIRED: [], PREFERRED: []}, "podAntiAffinity": {}},
    "minReadySeconds": 0,
    "service": {"annotations": {}},
}


@pytest.mark.parametrize(
    "fields",
    [ABSENT, {"resources": {}, "dnsConfig": {}, "affinity": {}}],
    ids=["each value is zero", "the parent is empty"],
)
def test_a_zero_value_is_absent(fields: Json) -> None:
    assert _spec(fields).as_json() == _spec({}).as_json()


WITH_ZEROS: Json = {
    "env": [{"name": "A", "value": ""}, {"name": "B", "value": "", "valueFrom": {"secretKeyRef": KEY}}],
    "livenessProbe": {"httpGet": {"port": 80, "path": "", "httpHeaders": []}, "initialDelaySeconds": 0},
    "readinessProbe": {"grpc": {"port": 80, "service": ""}},
    "volumes": [
        {"name": "a", "emptyDir": {"medium": ""}},
        {"name": "b", "configMap": {"name": "a", "items": []}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "a", "readOnly": False}},
        {"name": "d", "projected": {"sources": [{"secret": {"name": "a", "items": []}}]}},
    ],
    "volumeMounts": [{"name": "a", "mountPath": "/a", "readOnly": False}],
    "tolerations": [{"key": "a", "value": ""}],
    "affinity": {"nodeAffinity": {}, "podAffinity": {REQUIRED: [POD_TERM], PREFERRED: []}},
    "podMetadata": {"labels": {}, "annotations": {}},
}
WITHOUT_THEM: Json = {
    "env": [{"name": "A"}, {"name": "B", "valueFrom": {"secretKeyRef": KEY}}],
    "livenessProbe": {"httpGet": {"port": 80}},
    "readinessProbe": {"grpc": {"port": 80}},
    "volumes": [
        {"name": "a", "emptyDir": {}},
        {"name": "b", "configMap": {"name": "a"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "a"}},
        {"name": "d", "projected": {"sources": [{"secret": {"name": "a"}}]}},
    ],
    "volumeMounts": [{"name": "a", "mountPath": "/a"}],
    "tolerations": [{"key": "a"}],
    "affinity": {"podAffinity": {REQUIRED: [POD_TERM]}},
    "podMetadata": {},
}
MEANT: Json = {
    "replicas": 0,
    "revisionHistoryLimit": 0,
    "terminationGracePeriodSeconds": 0,
    "args": [""],
    "cpu": "0",
    "volumes": [
        {"name": "a", "secret": {"secretName": "a", "defaultMode": 0, "optional": False}},
        {"name": "b", "configMap": {"name": "a", "items": [{"key": "a", "path": "a", "mode": 0}]}},
    ],
    "env": [{"name": "A", "valueFrom": {"secretKeyRef": {**KEY, "optional": False}}}],
    "envFrom": [{"secretRef": {"name": "a", "optional": False}}],
    "tolerations": [{"key": "a", "effect": "NoExecute", "tolerationSeconds": 0}],
    "nodeSelector": {"a": ""},
    "podMetadata": {"labels": {"a": ""}, "annotations": {"a": ""}},
    "livenessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "A", "value": ""}]}},
    "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
}
"""Zero values that differ from an absent field."""


@pytest.mark.parametrize(
    ("fields", "less"),
    [(WITH_ZEROS, WITHOUT_THEM), (WITHOUT_THEM, WITHOUT_THEM), (MEANT, MEANT)],
    ids=["zeros go", "nothing else goes", "zeros that mean something stay"],
)
def test_a_zero_value_inside_is_absent_unless_it_says_something(fields: Json, less: Json) -> None:
    assert _spec(fields).as_json() == {**_spec({}).as_json(), **less}
