"""Redaction: what is replaced in a recording, by what, and what stays."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from metahook import Body
from metahook.record.redaction import Redaction
from tests.complexity.growth import is_linear

Json = dict[str, Any]

CANARY = "canary-c9f0f895"
METACONTROLLER = "metacontroller.k8s.io/last-applied-configuration"
KUBECTL = "kubectl.kubernetes.io/last-applied-configuration"


def redacted(request: Json, response: Json | None = None, redaction: Redaction | None = None) -> tuple[Json, Json]:
    texts = (redaction or Redaction()).redact(json.dumps(request).encode(), json.dumps(response or {}).encode())
    first, second = map(json.loads, texts)
    return first, second


def container(text: str = CANARY) -> Json:
    """Return a container with *text* in each private place."""
    command = {"command": [text, "", text]}
    probe = {"httpGet": {"port": 80, "httpHeaders": [{"name": "Authorization", "value": text}]}}
    return {
        "name": "main",
        "image": "nginx:1.27",
        "args": [text],
        **command,
        "env": [
            {"name": "A", "value": text},
            {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
        ],
        "lifecycle": {"postStart": {"exec": command}},
        "livenessProbe": probe,
        "readinessProbe": {"exec": command},
    }


def pod(text: str = CANARY) -> Json:
    state = {"terminated": {"exitCode": 1, "message": text}}
    waits = {"waiting": {"reason": "CreateContainerError", "message": f'exec: "{text}": not found'}}
    containers = {name: [container(text)] for name in ("containers", "initContainers", "ephemeralContainers")}
    statuses = {"containerStatuses": [{"name": "main", "state": waits, "lastState": state}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": containers, "status": statuses}


def deployment(text: str = CANARY) -> Json:
    template = {"metadata": {"labels": {"env": "test"}}, "spec": pod(text)["spec"]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": template}}


def config_map(text: str = CANARY, **fields: Any) -> Json:
    data = {"data": {"k": text}, "binaryData": {"b": text}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, **data, **fields}


def secret(text: str = CANARY) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s"},
        "data": {"k": text},
        "stringData": {"k": text},
    }


def with_record(item: Json, key: str = METACONTROLLER) -> Json:
    return {**item, "metadata": {**item["metadata"], "annotations": {key: json.dumps(item)}}}


def parent(spec: Json) -> Json:
    return {"kind": "Any", "metadata": {"name": "web", "namespace": "default"}, "spec": spec}


def request(parent: Json, *objects: Json) -> Json:
    groups = {f"{item['kind']}.{item['apiVersion']}": {item["metadata"]["name"]: item} for item in objects}
    return {"parent": parent, "children": groups, "related": groups}


OBJECTS = {
    "Deployment": deployment(),
    "Pod": pod(),
    "ConfigMap": config_map(),
    "Secret": secret(),
    "record of kubectl": with_record(deployment(), KUBECTL),
    "record of Metacontroller": with_record(config_map()),
    "record of a Secret": with_record(secret(), KUBECTL),
    "record in another annotation": with_record(deployment(), "kapp.k14s.io/original"),
    "record in a record": with_record(with_record(secret()), KUBECTL),
    "record that is cut": {
        **deployment(),
        "metadata": {"name": "d", "annotations": {KUBECTL: json.dumps(secret())[:-1]}},
    },
    "record without a kind": {
        **secret(),
        "metadata": {"name": "s", "annotations": {KUBECTL: json.dumps({"data": {"k": CANARY}})}},
    },
    "list": {"apiVersion": "v1", "kind": "List", "metadata": {"name": "l"}, "items": [secret(), config_map(), pod()]},
    "managed fields": {**config_map(), "metadata": {"name": "c", "managedFields": [{"manager": CANARY}]}},
}


@pytest.mark.parametrize("item", OBJECTS.values(), ids=list(OBJECTS))
def test_nothing_private_stays_in_a_child_a_related_object_or_the_response(item: Json) -> None:
    every = (request(parent(container()), item), {"children": [item], "status": {}})

    texts = json.dumps(redacted(*every))

    assert CANARY in json.dumps(every)
    assert CANARY not in texts


PRIVATE_SHAPES = {
    "a map": {"env": {"A": CANARY}, "args": {"a": [CANARY]}, "command": {"a": {"b": CANARY}}},
    "texts": {"env": [CANARY, [CANARY], None, 5], "args": [[CANARY], {"a": CANARY}, None, 5, True]},
    "a value of another type": {"env": [{"name": "A", "value": {"a": [CANARY]}}, {"value": 271828}]},
    "numbers": {"args": [271828, 271.828]},
    "a field of another name": {"template": {"containers": [container()]}, "sidecars": {"a": container()}},
}


@pytest.mark.parametrize("spec", PRIVATE_SHAPES.values(), ids=list(PRIVATE_SHAPES))
def test_a_private_value_of_any_shape_is_replaced_and_keeps_its_shape(spec: Json) -> None:
    (after, _) = redacted(request(parent(spec)))

    text = json.dumps(after)
    assert not [word for word in (CANARY, "271828", "271.828") if word in text]
    assert _shape(after["parent"]["spec"]) == _shape(spec)


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    return str if isinstance(value, str) else bool(value) if isinstance(value, bool) else value is None


@pytest.mark.parametrize("text", ["not an object", "[1]", "{", "{}", '{"a": "b"}', "", '{"data": {"k": "v"}}'])
def test_other_annotations_stay_as_they_are(text: str) -> None:
    item = {**deployment(""), "metadata": {"name": "d", "annotations": {"note": text, "other": "text"}}}

    (after, _) = redacted(request(parent({}), item))

    stays = after["children"]["Deployment.apps/v1"]["d"]["metadata"]["annotations"]
    assert stays == {"note": text, "other": "text"}


PUBLIC = {
    "labels that are called so": {"metadata": {"labels": {"env": "prod", "args": "a", "command": "b"}}},
    "names and references": {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]},
    "empty texts": {"args": [""], "command": [""], "env": [{"name": "A", "value": ""}]},
    "a container that waits": {"state": {"waiting": {"reason": "ImagePullBackOff"}}},
    "a text": {"env": "prod", "args": "a", "command": "b"},
    "data of another kind": {"kind": "ControllerRevision", "data": {"a": "b"}},
    "any": {"image": "nginx:1.27", "replicas": 3, "a": [None, True, 1.5, {"b": []}]},
}


@pytest.mark.parametrize("spec", PUBLIC.values(), ids=list(PUBLIC))
def test_what_is_not_private_stays_as_it_is(spec: Json) -> None:
    whole = request(parent(spec))

    assert redacted(whole, {"children": [], "status": {"a": spec}}) == (whole, {"children": [], "status": {"a": spec}})


@pytest.mark.parametrize("reason", ["CreateContainerError", "ImagePullBackOff", "PostStartHookError", ["Read"], None])
def test_a_message_stays_only_if_the_hook_reads_it(reason: object) -> None:
    def waiting(reason: object) -> Json:
        return request(parent({"state": {"waiting": {"reason": reason, "message": CANARY}}}))

    redaction = Redaction(read_messages=("Read",))

    assert CANARY not in json.dumps(redacted(waiting(reason), None, redaction))
    assert redacted(waiting("Read"), None, redaction)[0] == waiting("Read")


@pytest.mark.parametrize("groups", [None, [], "x", {"Pod.v1": None}, {"Pod.v1": ["x"]}, {"Pod.v1": {"p": "x"}}])
def test_groups_of_any_shape_are_recorded(groups: object) -> None:
    whole = {"parent": parent({}), "children": groups, "related": groups}

    assert redacted(whole)[0] == whole


def test_values_stay_on_request_but_never_those_of_secrets() -> None:
    objects = (deployment(), pod(), config_map())
    whole = request(parent(container()), *objects)

    keeps = Redaction(keeps_values=True)
    assert redacted(whole, {"children": list(objects)}, keeps) == (whole, {"children": list(objects)})
    for item in (secret(), with_record(secret()), OBJECTS["record that is cut"], OBJECTS["managed fields"]):
        bare = {**item, **({"data": {}, "binaryData": {}} if item["kind"] == "ConfigMap" else {})}
        without = {**bare, "spec": {}}
        assert CANARY not in json.dumps(redacted(request(parent({}), without), None, keeps))


# Placeholders


def args(*texts: str, **more: Any) -> list[str]:
    """Return the placeholders of *texts*."""
    after, _ = redacted(request(parent({"args": list(texts), **more})))
    found: list[str] = after["parent"]["spec"]["args"]
    return found


def test_equal_texts_have_equal_placeholders_and_different_texts_different_ones() -> None:
    texts = [f"{number % 50}" for number in range(200)]

    found = args(*texts)

    assert len(set(zip(texts, found, strict=True))) == len(set(found)) == 50


def test_equal_values_in_all_places_have_the_same_placeholder() -> None:
    item = with_record(deployment())
    after, response = redacted(request(parent({"args": [CANARY]}), item), {"children": [item]})

    child = response["children"][0]
    assert child == after["children"]["Deployment.apps/v1"]["d"]
    assert json.loads(child["metadata"]["annotations"][METACONTROLLER])["spec"] == child["spec"]
    assert child["spec"]["template"]["spec"]["containers"][0]["args"] == after["parent"]["spec"]["args"]


def test_a_placeholder_tells_nothing_of_another_recording() -> None:
    assert args("a", "b") == args("c", "d") == ["redacted(1)", "redacted(2)"]


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        pytest.param("a long text of a user", "redacted(1)xxxxxxxxxx", id="as long"),
        pytest.param("x", "redacted(1)", id="short"),
        pytest.param("", "", id="empty"),
        pytest.param("a text of $(A) and $(B)", "redacted(1)$(A)xxxxxxxx", id="a reference"),
        pytest.param("a text of $$(A)", "redacted(1)xxxx", id="no reference"),
        pytest.param('text in "quotes" \n<html>', 'redacted(1)xxxxxxxx""\n<<', id="bytes"),
        pytest.param("two: \u00fc\u00f6, three: \u4e2d\u6587, four: \U0001f40b", None, id="characters"),
    ],
)
def test_a_placeholder_keeps_what_decides(text: str, placeholder: str | None) -> None:
    (found,) = args(text, env=[{"name": "A"}])

    assert placeholder in (found, None)
    if len(text) > 20:
        assert (len(found), len(found.encode()), len(json.dumps(found))) == (
            len(text),
            len(text.encode()),
            len(json.dumps(text)),
        )


# Hashes


def test_a_hash_is_replaced_by_that_of_the_placeholders_wherever_it_is() -> None:
    def hashes(body: Body) -> Mapping[str, str]:
        return {"hash": f"of {json.loads(body)['related']['ConfigMap.v1']['c']['data']['k']}"}

    def annotated(text: str) -> Json:
        item = with_record({**deployment(), "metadata": {"name": "d", "annotations": {"hash": text}}})
        item["metadata"]["annotations"]["hash"] = text
        return item

    redaction = Redaction(hash_annotations=frozenset({"hash"}), hashes=hashes)
    item = annotated(f"of {CANARY}")
    before = {
        **request(parent({}), config_map()),
        "children": {"Deployment.apps/v1": {"d": item, "old": annotated("of old")}},
    }

    after, response = redacted(before, {"children": [item]}, redaction)

    now, old = after["children"]["Deployment.apps/v1"]["d"], after["children"]["Deployment.apps/v1"]["old"]
    content = after["related"]["ConfigMap.v1"]["c"]["data"]["k"]
    assert now["metadata"]["annotations"]["hash"] == f"of {content}"
    assert json.dumps(after).count(f"of {content}") == 2
    assert response["children"] == [now]
    assert "of old" not in json.dumps(after)
    assert old["metadata"]["annotations"]["hash"].startswith("redacted(")


def test_a_request_at_which_the_hook_fails_is_redacted_too() -> None:
    def hashes(_: Body) -> Mapping[str, str]:
        raise KeyError(CANARY)

    item = {**deployment(), "metadata": {"name": "d", "annotations": {"hash": CANARY}}}
    redaction = Redaction(hash_annotations=frozenset({"hash"}), hashes=hashes)

    assert CANARY not in json.dumps(redacted(request(parent({}), item), {}, redaction))


# Large requests

LARGE: dict[str, Callable[[int], object]] = {
    "references": lambda size: {"args": ["$(" * size]},
    "names": lambda size: {"note": '"name"' + " " * size + '"name": "' * size},
    "texts": lambda size: {"args": [f"text {number}" for number in range(size // 10)]},
    "characters": lambda size: {"env": [{"name": "A", "value": "\u4e2d\x7f<" * (size // 3)}]},
    "a record": lambda size: {
        "annotations": {KUBECTL: json.dumps({"kind": "Any", "args": ["x" * size], "a": "\\" * size})}
    },
    "levels": lambda size: {"a": [[{"a": {}}]] * (size // 10)},
}


@pytest.mark.parametrize("make", LARGE.values(), ids=list(LARGE))
def test_the_cost_of_redaction_grows_with_the_request(make: Callable[[int], object]) -> None:
    def body(size: int) -> bytes:
        return json.dumps({"parent": {"spec": make(size)}, "children": {}}).encode()

    assert is_linear(body, lambda request: Redaction().redact(request, b"{}"), 20_000)


def test_a_canary_is_found_where_nothing_is_redacted() -> None:
    """The negative control: each object holds it in places that are private."""

    def texts(value: object) -> Iterator[str]:
        if isinstance(value, dict | list):
            for inner in value.values() if isinstance(value, dict) else value:
                yield from texts(inner)
        elif isinstance(value, str):
            yield value

    counts = {name: sum(CANARY in text for text in texts(item)) for name, item in OBJECTS.items()}
    assert min(counts.values()) >= 1
    assert counts["Deployment"] == 3 * 9
