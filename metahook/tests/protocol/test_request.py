import json
import re
from collections.abc import Callable

import pytest
from msgspec.structs import asdict, replace

from metahook import CustomizeRequest, MalformedRequest, SyncRequest
from metahook.protocol.request import COMPOSITE
from metahook.protocol.request_builder import customize_request, sync_request
from toolkit.builders import NOW_TEXT, UID, Json
from toolkit.widgets import widget

CANARY = "canary-8f14e45f"


def body(**fields: object) -> bytes:
    return json.dumps({"parent": widget(), "children": {}, "related": {}, **fields}).encode()


def with_metadata(**metadata: object) -> bytes:
    parent = widget()
    return body(parent={**parent, "metadata": {**parent["metadata"], **metadata}})


def decoded(request: bytes) -> SyncRequest:
    return SyncRequest.decode(request, ())


def without_metadata(field: str) -> bytes:
    parent = widget()
    return body(parent={**parent, "metadata": {key: x for key, x in parent["metadata"].items() if key != field}})


def test_a_parent_is_its_identity_and_its_json() -> None:
    parent = decoded(body(parent=widget(status={"state": "Ready"}))).parent

    assert asdict(parent) == {
        "name": "web",
        "namespace": "default",
        "uid": UID,
        "generation": 1,
        "created": None,
        "deleting": False,
        "spec": b'{"image": "nginx:1.27"}',
        "status": b'{"state": "Ready"}',
        "kind": "Widget",
        "managed_fields": b"[]",
        "api_version": "example.com/v1",
        "labels": {},
        "annotations": {},
        "finalizers": (),
    }


def test_a_parent_has_its_labels_annotations_and_finalizers() -> None:
    texts = {"a": "b", "c": ""}

    parent = decoded(with_metadata(labels=texts, annotations=texts, finalizers=["example.com/a"])).parent

    assert (parent.labels, parent.annotations, parent.finalizers) == (texts, texts, ("example.com/a",))


def test_a_request_without_a_controller_has_an_empty_one() -> None:
    for made in (customize_request(widget()), sync_request(widget(), {}, {})):
        assert json.loads(made)["controller"] == {}


def test_both_hooks_read_the_same_parent() -> None:
    request = body(parent=widget(generation=7))

    assert CustomizeRequest.decode(request).parent == decoded(request).parent


def test_a_parent_without_spec_and_status_has_null_for_them() -> None:
    parent = decoded(body(parent={"metadata": widget()["metadata"]})).parent

    assert (parent.spec, parent.status) == (b"null", b"null")


@pytest.mark.parametrize(("time", "deleting"), [(NOW_TEXT, True), (None, False)], ids=["time", "null"])
def test_a_parent_with_a_deletion_time_is_deleting(time: str | None, *, deleting: bool) -> None:
    assert decoded(with_metadata(deletionTimestamp=time)).parent.deleting is deleting


@pytest.mark.parametrize("field", ["name", "uid", "generation"])
def test_a_parent_needs_its_identity(field: str) -> None:
    with pytest.raises(MalformedRequest):
        decoded(without_metadata(field))
    with pytest.raises(MalformedRequest):
        CustomizeRequest.decode(without_metadata(field))


@pytest.mark.parametrize("namespace", [None, ""], ids=["null", "empty"])
def test_a_parent_without_a_namespace_is_refused_only_if_its_kind_is_declared_to_have_one(
    namespace: str | None,
) -> None:
    no_namespace, namespaced = with_metadata(namespace=namespace), replace(COMPOSITE, namespaced=True)

    assert decoded(no_namespace).parent.namespace == ""
    assert decoded(without_metadata("namespace")).parent.namespace == ""
    with pytest.raises(MalformedRequest, match=r"^parent\.metadata\.namespace is missing$"):
        SyncRequest.decode(no_namespace, (), shape=namespaced)
    with pytest.raises(MalformedRequest, match=r"^parent\.metadata\.namespace is missing$"):
        CustomizeRequest.decode(no_namespace, namespaced)


def test_a_parent_with_a_namespace_is_refused_if_its_kind_is_declared_to_have_none() -> None:
    with pytest.raises(MalformedRequest, match=r"^parent\.metadata\.namespace must be absent"):
        CustomizeRequest.decode(with_metadata(namespace="default"), replace(COMPOSITE, namespaced=False))


@pytest.mark.parametrize("field", ["labels", "annotations", "ownerReferences", "deletionTimestamp"])
def test_a_parent_needs_no_more_than_its_identity(field: str) -> None:
    assert decoded(without_metadata(field)).parent.name == "web"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", None),
        ("name", 1),
        ("namespace", 1),
        ("namespace", "x" * 254),
        ("uid", ""),
        ("uid", None),
        ("generation", None),
        ("generation", -1),
        ("generation", "1"),
        ("generation", 1.5),
        ("generation", True),
    ],
)
def test_an_identity_that_can_not_be_is_malformed(field: str, value: object) -> None:
    with pytest.raises(MalformedRequest):
        decoded(with_metadata(**{field: value}))


@pytest.mark.parametrize("field", ["labels", "annotations", "ownerReferences", "finalizers"])
def test_metadata_that_is_not_read_may_be_anything(field: str) -> None:
    assert decoded(with_metadata(**{field: [{"uid": 1}]})).parent.name == "web"


def test_a_generation_may_be_zero() -> None:
    assert decoded(with_metadata(generation=0)).parent.generation == 0


@pytest.mark.parametrize(
    "children",
    [None, [], "x", {"Deployment.apps/v1": []}, {"Deployment.apps/v1": None}],
    ids=["null", "list", "text", "list for a group", "null for a group"],
)
def test_a_request_must_say_which_children_there_are(children: object) -> None:
    with pytest.raises(MalformedRequest):
        decoded(body(children=children))


def test_a_request_without_the_field_children_is_malformed() -> None:
    with pytest.raises(MalformedRequest):
        decoded(json.dumps({"parent": widget(), "related": {}}).encode())


@pytest.mark.parametrize(
    ("request_body", "rule"),
    [
        pytest.param(b"", "the body is empty", id="nothing"),
        pytest.param(b" ", "the body is not JSON", id="a space"),
        pytest.param(b"[1]", "the body must be an object", id="a list"),
        pytest.param(b"{}", "parent is missing", id="no parent"),
        pytest.param(b'{"parent": null}', "parent must be an object", id="null for the parent"),
        pytest.param(b'{"parent": {}}', "parent.metadata is missing", id="a parent without metadata"),
        pytest.param(b'{"parent": PARENT}', "children is missing", id="no children"),
        pytest.param(b'{"parent": PARENT, "children": 1}', "children must be an object", id="a number for children"),
        pytest.param(
            b'{"parent": PARENT, "children": {"canary": []}}', "children[*] must be an object", id="a list for a group"
        ),
        pytest.param(
            b'{"parent": PARENT, "children": {}, "related": 1}', "related must be an object", id="a number for related"
        ),
        pytest.param(
            b'{"parent": PARENT, "children": {}, "related": {"a": {}, "b": null}}',
            "related[*] must be an object",
            id="null for a group",
        ),
        pytest.param(b'{"parent": 1, "children": {', "the body is not JSON", id="cut after a wrong type"),
        pytest.param(b'{"parent": PARENT, "children": {', "the body is not JSON", id="cut"),
    ],
)
def test_a_malformed_request_is_told_the_first_rule_that_it_breaks(request_body: bytes, rule: str) -> None:
    parent = json.dumps(widget()).encode()

    with pytest.raises(MalformedRequest, match=f"^{re.escape(rule)}$"):
        decoded(request_body.replace(b"PARENT", parent))


def test_customize_needs_no_children() -> None:
    assert CustomizeRequest.decode(json.dumps({"parent": widget()}).encode()).parent.name == "web"


@pytest.mark.parametrize(
    "fields",
    [{}, {"related": None}, {"controller": {"kind": 1}}, {"later": [1]}],
    ids=["nothing observed", "no related", "controller", "unknown"],
)
def test_what_is_not_read_may_be_anything(fields: Json) -> None:
    assert decoded(body(**fields)).parent.name == "web"


NOT_REQUESTS = {
    "empty": b"",
    "no JSON": CANARY.encode(),
    "a list": f'["{CANARY}"]'.encode(),
    "null": b"null",
    "cut short": body(later=CANARY)[:-1],
    "trailing": body() + CANARY.encode(),
    "wrong type": with_metadata(name={CANARY: CANARY}),
    "a list for a time": with_metadata(deletionTimestamp=[CANARY]),
    "not UTF-8 where it is read": with_metadata(name=CANARY).replace(CANARY.encode(), CANARY.encode() + b"\xff"),
    "not UTF-8 where it is skipped": body(later=CANARY).replace(CANARY.encode(), CANARY.encode() + b"\xff"),
    "UTF-16": body(later=CANARY).decode().encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf" + body(later=CANARY),
    "lone surrogate": with_metadata(name=CANARY).replace(CANARY.encode(), CANARY.encode() + rb"\ud800"),
    "NaN where it is skipped": body(later=[CANARY, float("nan")]),
    "nested too deeply": body(later=[CANARY, "@"]).replace(b'"@"', b"[" * 100_000 + b"]" * 100_000),
}


@pytest.mark.parametrize("request_body", NOT_REQUESTS.values(), ids=NOT_REQUESTS.keys())
@pytest.mark.parametrize("decode", [decoded, CustomizeRequest.decode], ids=["sync", "customize"])
def test_what_is_no_request_is_malformed_and_not_repeated(
    decode: Callable[[bytes], object], request_body: bytes
) -> None:
    with pytest.raises(MalformedRequest) as raised:
        decode(request_body)

    assert CANARY not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_text_outside_ascii_is_read() -> None:
    assert CustomizeRequest.decode(with_metadata(labels={"word": "Grüße, 你好"})).parent.name == "web"
