import json
from typing import Any

import pytest

from app.api.reading import InvalidSpec, read
from app.core.desired.valid_spec import references

Json = dict[str, Any]

MOUNT = [{"name": "v", "mountPath": "/v"}]
ITEMS = [{"key": "a", "path": "a"}, {"key": "b", "path": "b"}]
FIELD = {"fieldRef": {"fieldPath": "metadata.name"}}


def found(**spec: Any) -> str:
    """Return what *spec* uses, as text: kind, name and key, whether it is optional, and whether it is used as files."""
    parsed = read("web", json.dumps({"image": "nginx:1.27", **spec}).encode())
    assert not isinstance(parsed, InvalidSpec)
    return ", ".join(
        f"{ref.kind.KIND.kind} {ref.name}{f'/{ref.key}' if ref.key else ''}"
        f"{' optional' if ref.optional else ''}{' files' if ref.as_files else ''}"
        for ref in references(parsed)
    )


def variable(**source: Any) -> Json:
    return {"env": [{"name": "A", "valueFrom": source}]}


def volume(**source: Any) -> Json:
    return {"volumes": [{"name": "v", **source}], "volumeMounts": MOUNT}


def all_of(*names: str) -> Json:
    return {"envFrom": [{"configMapRef": {"name": name}} for name in names]}


def projected(*sources: Json) -> Json:
    return volume(projected={"sources": list(sources)})


OPTIONAL_KEY = variable(secretKeyRef={"name": "x", "key": "k", "optional": True})
INIT = [
    {"name": "a", "image": "a", **all_of("x")},
    {"name": "b", "image": "b", **variable(secretKeyRef={"name": "y", "key": "k"}), "volumeMounts": MOUNT},
]
OF_INIT = {"volumes": [{"name": "v", "secret": {"secretName": "z"}}], "initContainers": INIT}
SOURCES: list[Json] = [
    {"configMap": {"name": "x", "items": ITEMS[:1]}},
    {"secret": {"name": "y", "optional": False}},
    {"downwardAPI": {"items": [{"path": "p", **FIELD}]}},
]
SOME, SOME_SECRET = {"name": "x", "items": ITEMS, "optional": True}, {"secretName": "x", "items": ITEMS}
MAYBE = {"secretRef": {"name": "y", "optional": True}}


@pytest.mark.parametrize(
    ("spec", "used"),
    [
        pytest.param({}, "", id="nothing"),
        pytest.param({"env": [{"name": "A", "value": "1"}]}, "", id="a value"),
        pytest.param(variable(**FIELD), "", id="a field"),
        pytest.param(variable(configMapKeyRef={"name": "x", "key": "k"}), "ConfigMap x/k", id="a variable"),
        pytest.param(OPTIONAL_KEY, "Secret x/k optional", id="a variable from a Secret"),
        pytest.param(all_of("x", "y"), "ConfigMap x, ConfigMap y", id="all keys as variables"),
        pytest.param({"envFrom": [MAYBE]}, "Secret y optional", id="all keys of a Secret"),
        pytest.param(all_of("x", "x"), "ConfigMap x", id="the same twice"),
        pytest.param(volume(emptyDir={}), "", id="an empty directory"),
        pytest.param({"volumes": [{"name": "v", "configMap": {"name": "x"}}]}, "", id="a volume that is not mounted"),
        pytest.param(OF_INIT, "ConfigMap x, Secret y/k, Secret z files", id="what init containers use"),
        pytest.param(volume(configMap={"name": "x"}), "ConfigMap x files", id="all keys as files"),
        pytest.param(
            volume(configMap=SOME), "ConfigMap x/a optional files, ConfigMap x/b optional files", id="some keys"
        ),
        pytest.param(volume(secret=SOME_SECRET), "Secret x/a files, Secret x/b files", id="some keys of a Secret"),
        pytest.param(projected(*SOURCES), "ConfigMap x/a files, Secret y files", id="a projected volume"),
    ],
)
def test_what_a_spec_uses_is_found(spec: Json, used: str) -> None:
    assert found(**spec) == used
