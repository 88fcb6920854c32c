import json
from typing import Any

import pytest

from app.api.schema.reading import InvalidSpec, read
from app.core.desired.references import Reference, references
from metahook import ConfigMap, Secret

MOUNT = [{"name": "v", "mountPath": "/v"}]


def found(**spec: Any) -> list[Reference]:
    parsed = read("web", json.dumps({"image": "nginx:1.27", **spec}).encode())
    assert not isinstance(parsed, InvalidSpec)
    return references(parsed)


def variable(**source: Any) -> dict[str, Any]:
    return {"env": [{"name": "A", "valueFrom": source}]}


def volume(**source: Any) -> dict[str, Any]:
    return {"volumes": [{"name": "v", **source}], "volumeMounts": MOUNT}


ITEMS = [{"key": "a", "path": "a"}, {"key": "b", "path": "b"}]


@pytest.mark.parametrize(
    ("spec", "used"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"env": [{"name": "A", "value": "1"}]}, [], id="a value"),
        pytest.param(variable(fieldRef={"fieldPath": "metadata.name"}), [], id="a field"),
        pytest.param(
            variable(configMapKeyRef={"name": "x", "key": "k"}),
            [Reference(ConfigMap, "x", "k", optional=False)],
            id="a variable from a ConfigMap",
        ),
        pytest.param(
            variable(secretKeyRef={"name": "x", "key": "k", "optional": True}),
            [Reference(Secret, "x", "k", optional=True)],
            id="a variable from a Secret",
        ),
        pytest.param(
            {"envFrom": [{"configMapRef": {"name": "x"}}, {"secretRef": {"name": "y", "optional": True}}]},
            [Reference(ConfigMap, "x", None, optional=False), Reference(Secret, "y", None, optional=True)],
            id="all keys as variables",
        ),
        pytest.param(volume(emptyDir={}), [], id="an empty directory"),
        pytest.param({"volumes": [{"name": "v", "configMap": {"name": "x"}}]}, [], id="a volume that is not mounted"),
        pytest.param(
            {
                "volumes": [{"name": "v", "secret": {"secretName": "z"}}],
                "initContainers": [
                    {"name": "a", "image": "a", "envFrom": [{"configMapRef": {"name": "x"}}]},
                    {
                        "name": "b",
                        "image": "b",
                        **variable(secretKeyRef={"name": "y", "key": "k"}),
                        "volumeMounts": MOUNT,
                    },
                ],
            },
            [
                Reference(ConfigMap, "x", None, optional=False),
                Reference(Secret, "y", "k", optional=False),
                Reference(Secret, "z", None, optional=False, as_files=True),
            ],
            id="what init containers use",
        ),
        pytest.param(
            {"envFrom": [{"configMapRef": {"name": "x"}}] * 2},
            [Reference(ConfigMap, "x", None, optional=False)],
            id="the same twice",
        ),
        pytest.param(
            volume(configMap={"name": "x"}),
            [Reference(ConfigMap, "x", None, optional=False, as_files=True)],
            id="all keys as files",
        ),
        pytest.param(
            volume(configMap={"name": "x", "items": ITEMS, "optional": True}),
            [Reference(ConfigMap, "x", key, optional=True, as_files=True) for key in "ab"],
            id="some keys as files",
        ),
        pytest.param(
            volume(secret={"secretName": "x", "items": ITEMS}),
            [Reference(Secret, "x", key, optional=False, as_files=True) for key in "ab"],
            id="some keys of a Secret as files",
        ),
        pytest.param(
            volume(
                projected={
                    "sources": [
                        {"configMap": {"name": "x", "items": ITEMS[:1]}},
                        {"secret": {"name": "y", "optional": False}},
                        {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}},
                    ]
                }
            ),
            [
                Reference(ConfigMap, "x", "a", optional=False, as_files=True),
                Reference(Secret, "y", None, optional=False, as_files=True),
            ],
            id="a projected volume",
        ),
    ],
)
def test_what_a_spec_uses_is_found(spec: dict[str, Any], used: list[Reference]) -> None:
    assert found(**spec) == used
