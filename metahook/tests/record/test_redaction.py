"""Redaction: what is replaced in a recording, by what, and what stays."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from metahook import Body
from metahook.record.kept_fields import CONDITIONS, MESSAGE, WORD, Fields, words
from metahook.record.redaction import Redaction
from toolkit.growth import is_linear

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
    groups: dict[str, Json] = defaultdict(dict)
    for item in objects:
        groups[f"{item['kind']}.{item['apiVersion']}"][item["metadata"]["name"]] = item
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
    "annotations": {
        "metadata": {
            "name": "d",
            "annotations": {
                "indented": f' {{"args": ["{CANARY}"]}}',
                "list": f'["{CANARY}"]',
                "yaml": f"args: [{CANARY}]",
                "text": CANARY,
            },
        },
        "kind": "Any",
        "apiVersion": "v1",
    },
    "labels": {"metadata": {"name": "d", "labels": {"a": CANARY}}, "kind": "Any", "apiVersion": "v1"},
    "names of fields": {
        "metadata": {"name": "d"},
        "spec": {f"https://user:{CANARY}@host": 1},
        "kind": "Any",
        "apiVersion": "v1",
    },
    "custom resource": {
        "apiVersion": "example.com/v1",
        "kind": "Database",
        "metadata": {"name": "db"},
        "spec": {
            "name": CANARY,
            "type": CANARY,
            "args": CANARY,
            "metadata": {"name": CANARY},
            "data": {"name": CANARY},
        },
        "status": {"password": CANARY, "conditions": [{"type": "Ready", "message": CANARY, "reason": f"a {CANARY}"}]},
    },
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


@pytest.mark.parametrize("keeps_values", [False, True])
@pytest.mark.parametrize("item", OBJECTS.values(), ids=list(OBJECTS))
def test_nothing_private_stays_in_the_object_of_a_decorator_or_in_its_attachments(
    item: Json, *, keeps_values: bool
) -> None:
    attached = {f"{item['kind']}.v1": {item["metadata"]["name"]: item}}
    sent = {"object": item, "attachments": attached, "related": {}, "finalizing": True}
    answer = {"attachments": [item], "annotations": {"a": CANARY, "b": None}, "status": {}, "finalized": True}

    after, answered = redacted(sent, answer, Redaction(keeps_values))

    is_secret = item["kind"] == "Secret"
    assert CANARY not in json.dumps([after, {**answered, "annotations": {}}]) or (keeps_values and not is_secret)
    assert (CANARY in json.dumps(answered["annotations"])) is (keeps_values and not is_secret)
    assert (after["finalizing"], answered["finalized"], answered["annotations"]["b"]) == (True, True, None)
    assert after["object"]["metadata"]["name"] == item["metadata"]["name"]


YAML = f"apiVersion: v1\nkind: Secret\ndata:\n  k: {CANARY}\n"
SECRETS = {
    "JSON": json.dumps(secret()),
    "indented JSON": json.dumps(secret(), indent=2),
    "cut JSON": json.dumps(secret())[:-1],
    "JSON in JSON": json.dumps({"text": json.dumps({"text": json.dumps(secret())})}),
    "a list of JSON": json.dumps({"kind": "SecretList", "items": [{"data": {"k": CANARY}}]}),
    "YAML": YAML,
    "quoted YAML": YAML.replace("Secret", "'Secret'"),
    "several documents of YAML": f"kind: ConfigMap\n---\n{YAML}",
}
NO_SECRETS = {
    "another kind": json.dumps(config_map()),
    "a kind with a similar name": json.dumps({"kind": "SecretStore", "data": CANARY}),
    "a reference": json.dumps({"secretName": "Secret", "data": CANARY}),
}


@pytest.mark.parametrize(
    ("text", "is_secret"), [(text, name in SECRETS) for name, text in [*SECRETS.items(), *NO_SECRETS.items()]]
)
def test_with_values_a_secret_is_redacted_in_whatever_text_it_is(text: str, *, is_secret: bool) -> None:
    annotated = {**deployment("x"), "metadata": {"name": "d", "annotations": {"a": text, METACONTROLLER: "{}"}}}
    places = [
        annotated,
        config_map(text),
        pod(text),
        with_record(annotated),
        {**parent({"a": [text]}), "apiVersion": "v1"},
    ]

    for item in places:
        sent, answer = request(parent({"text": text}), item), {"children": [item], "status": {"a": text}}
        after = json.dumps(redacted(sent, answer, Redaction(keeps_values=True)))
        assert (CANARY not in after) is is_secret


def test_with_values_a_list_of_secrets_is_redacted() -> None:
    items = {"kind": "SecretList", "items": [{"data": {"k": CANARY}}]}

    assert CANARY not in json.dumps(redacted(request(parent({"a": items})), {}, Redaction(keeps_values=True)))


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


def test_the_url_of_a_hook_is_replaced_and_what_the_installation_is_judged_by_stays() -> None:
    webhook = {"url": f"https://user:{CANARY}@hook/sync", "timeout": "10s", "responseUnMarshallMode": "strict"}
    spec = {"generateSelector": True, "hooks": {"sync": {"version": "v2", "webhook": webhook}}}
    controller = with_record({"kind": "CompositeController", "metadata": {"name": "c"}, "spec": spec}, KUBECTL)

    after, _ = redacted({**request(parent({})), "controller": controller})

    assert CANARY not in json.dumps(after)
    left = after["controller"]["spec"]
    assert left == {
        **spec,
        "hooks": {"sync": {"version": "v2", "webhook": {**webhook, "url": left["hooks"]["sync"]["webhook"]["url"]}}},
    }


PUBLIC: dict[str, Json] = {
    "structure and numbers": {"spec": {"replicas": 3, "a": [None, True, 1.5, {"b": []}, ""], "example.com/a-key": {}}},
    "conditions": {"status": {"conditions": [{"type": "example.com/Up", "status": "True", "reason": "Is_Up"}]}},
    "times and owners": {
        "metadata": {
            "name": "a-b.c",
            "uid": "5d0f8a1e-0c4e-4e0e-8a0e-2f3b1d7c9a11",
            "creationTimestamp": "2026-01-31T12:00:00.5+01:00",
            "ownerReferences": [{"apiVersion": "a.io/v1", "kind": "A", "name": "a", "uid": "u", "controller": True}],
            "finalizers": ["foregroundDeletion", "example.com/a"],
        },
    },
}


@pytest.mark.parametrize("fields", PUBLIC.values(), ids=list(PUBLIC))
def test_what_any_hook_needs_stays_as_it_is(fields: Json) -> None:
    item = {"apiVersion": "example.com/v1", "kind": "Any", "metadata": {"name": "a"}, **fields}
    whole = request({**parent({}), **fields, "metadata": {"name": "web", "namespace": "default"}}, item)

    assert redacted(whole, {"children": [item]}) == (whole, {"children": [item]})


def test_what_the_hook_needs_stays_if_it_has_the_form() -> None:
    fields: Fields = {"parent": {"spec": {"image": WORD, "*": words("name")}}, "Any.v1": {"spec": words("image")}}
    images = ["nginx:1.27", "a.io:5000/b/c@sha256:0a", "user:pass@host/app", "two words"]

    def spec(image: str) -> Json:
        return {"image": image, "env": [{"name": "A"}]}

    for image in images:
        item = {"apiVersion": "v1", "kind": "Any", "metadata": {"name": "a"}, "spec": {"image": image}}
        after, _ = redacted(request(parent(spec(image)), item), None, Redaction(fields=fields))
        is_kept = image in images[:2]
        assert (after["parent"]["spec"] == spec(image)) is is_kept
        assert (after["children"]["Any.v1"]["a"]["spec"] == {"image": image}) is is_kept
        assert after["parent"]["spec"]["env"] == [{"name": "A"}]


READ = (re.compile('(?P<kind>secret) "(?P<name>[^"]+)" not found'), re.compile("exceeded quota"))


@pytest.mark.parametrize(
    ("message", "left"),
    [
        pytest.param(f'exec: "{CANARY}": not found', "redacted-1", id="nothing"),
        pytest.param(f"{CANARY}: exceeded quota: {CANARY}", "redacted-1exceeded quotaredacted-2", id="a part"),
        pytest.param('secret "c" not found', 'secret "c" not found', id="a name"),
        pytest.param(f'secret "{CANARY}" not found', 'secret "redacted-1" not found', id="no name"),
        pytest.param("", "", id="empty"),
    ],
)
def test_of_a_message_stays_what_the_hook_reads(message: str, left: str) -> None:
    conditions = [{"type": "ReplicaFailure", "message": message}]
    item = {"kind": "Any", "apiVersion": "v1", "metadata": {"name": "c"}, "status": {"conditions": conditions}}

    after, _ = redacted(request(parent({}), item), None, Redaction(messages=READ))

    assert after["children"]["Any.v1"]["c"]["status"]["conditions"][0]["message"] == left


def test_messages_of_the_hook_stay_if_it_says_so() -> None:
    response = {"status": {"conditions": [{"type": "Ready", "message": "Container web failed."}]}}
    fields = {"status": {"conditions": {**CONDITIONS, "message": re.compile(".*")}}}

    assert redacted(request(parent({})), response, Redaction(fields=fields))[1] == response
    assert (
        redacted(request(parent({})), response, Redaction(fields={"status": {"conditions": CONDITIONS}}))[1] != response
    )
    assert MESSAGE.fullmatch("") is None


@pytest.mark.parametrize("groups", [None, [], "x", {"Pod.v1": None}, {"Pod.v1": ["x"]}, {"Pod.v1": {"p": "x"}}])
def test_groups_of_any_shape_are_recorded(groups: object) -> None:
    whole = {"parent": parent({}), "children": groups, "related": groups}

    assert _shape(redacted(whole)[0]) == _shape(whole)


def test_values_stay_on_request_but_never_those_of_secrets() -> None:
    objects = (deployment(), pod(), config_map())
    whole = request(parent({**container(), "args": [271828]}), *objects)

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
    assert args("a", "b") == args("c", "d") == ["redacted-1", "redacted-2"]


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        pytest.param("a long text of a user", "redacted-1xxxxxxxxxxx", id="as long"),
        pytest.param("x", "redacted-1", id="short"),
        pytest.param("", "", id="empty"),
        pytest.param("a text of $(A) and $(B)", "redacted-1$(A)xxxxxxxxx", id="a reference"),
        pytest.param("a text of $$(A)", "redacted-1xxxxx", id="no reference"),
        pytest.param('text in "quotes" \n<html>', 'redacted-1xxxxxxxxx""\n<<', id="bytes"),
        pytest.param("two: \u00fc\u00f6, three: \u4e2d\u6587, four: \U0001f40b", None, id="characters"),
    ],
)
def test_a_placeholder_keeps_what_decides(text: str, placeholder: str | None) -> None:
    parent_fields = {"parent": {"spec": {"env": words("name")}}}
    after, _ = redacted(
        request(parent({"args": [text], "env": [{"name": "A"}]})), None, Redaction(fields=parent_fields)
    )
    (found,) = after["parent"]["spec"]["args"]

    assert placeholder in (found, None)
    if len(text) > 20:
        assert (len(found), len(found.encode()), len(json.dumps(found))) == (
            len(text),
            len(text.encode()),
            len(json.dumps(text)),
        )


# Hashes of Pod templates


def replicated(template_hash: str, **labels: str) -> Json:
    metadata = {
        "name": f"web-{template_hash}-x7k2p",
        "generateName": f"web-{template_hash}-",
        "labels": {"pod-template-hash": template_hash, "controller-revision-hash": f"web-{template_hash}", **labels},
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"web-{template_hash}", "uid": "u"}
        ],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


@pytest.mark.parametrize("keeps_values", [False, True])
def test_the_hash_of_a_pod_template_is_random_and_the_same_in_all_names(keeps_values: bool) -> None:  # noqa: FBT001 - of a case
    hashes = ["5d8f7c6b9", "66b9d8f4c7", "7c5ddbdf54"]
    pods = [replicated(text) for text in hashes]
    del pods[1]["metadata"]["labels"]
    replica_set = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": f"web-{hashes[2]}"}}
    whole = request(parent({"note": hashes[0]}), *pods, replica_set)

    after, _ = redacted(whole, {}, Redaction(keeps_values=keeps_values))

    assert not [text for text in hashes if text in json.dumps(after)]
    first = next(item for item in after["related"]["Pod.v1"].values() if "labels" in item["metadata"])["metadata"]
    template_hash = first["labels"]["pod-template-hash"]
    assert first["name"] == f"web-{template_hash}-x7k2p"
    assert first["generateName"] == f"web-{template_hash}-"
    assert first["ownerReferences"][0]["name"] == f"web-{template_hash}"
    assert list(after["related"]["Pod.v1"]) == sorted(
        item["metadata"]["name"] for item in after["related"]["Pod.v1"].values()
    )
    assert redacted(whole, {}, Redaction(keeps_values=keeps_values))[0] != after


# Hashes of configuration


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
    assert old["metadata"]["annotations"]["hash"].startswith("redacted-")


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
            for inner in (*value, *value.values()) if isinstance(value, dict) else value:
                yield from texts(inner)
        elif isinstance(value, str):
            yield value

    counts = {name: sum(CANARY in text for text in texts(item)) for name, item in OBJECTS.items()}
    assert min(counts.values()) >= 1
    assert counts["Deployment"] == 3 * 9
