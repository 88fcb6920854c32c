"""A changed key that is used changes the hash in the Pod template; nothing else does."""

import hashlib
import hmac
from typing import Any

import msgspec
import pytest

from app.core.watch import Watch
from tests.requests.builders import UID, Json, child, condition, my_resource, owned, reason, rolled_out, sync

CONFIG = "mygroup.example.com/config"
SECRETS = "mygroup.example.com/secrets"
WATCHING_SECRETS = Watch(secrets=True)

ALL: Json = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
ONE: Json = {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "a"}}}]}
MAYBE: Json = {
    "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "a", "optional": True}}}]
}
SECRET: Json = {"envFrom": [{"secretRef": {"name": "login"}}]}


def named(name: str, **fields: Any) -> Json:
    metadata = {"name": name, "namespace": "default", "resourceVersion": "1", **fields.pop("metadata", {})}
    return {"metadata": metadata, **fields}


def settings(**data: str) -> Json:
    return {"ConfigMap.v1": {"default/settings": named("settings", data=data)}}


def login(**data: str) -> Json:
    return {"Secret.v1": {"default/login": named("login", data=data)}}


def config_hashes(answer: Json) -> Json:
    annotations: Json = child(answer, "Deployment")["spec"]["template"]["metadata"].get("annotations", {})
    return annotations


def config_hash(spec: Json, related: Json, **parent: Any) -> str | None:
    found: str | None = config_hashes(sync(my_resource(**spec, **parent), related=related)).get(CONFIG)
    return found


def running(spec: Json, related: Json, watch: Watch | None = None) -> Json:
    """Return the Deployment of a finished rollout."""
    parent = my_resource(**spec)
    return rolled_out(owned(child(sync(parent, related=related, watch=watch), "Deployment"), parent))


VOLUMES: Json = {"volumes": [{"name": "files", "configMap": {"name": "settings"}}]}
FILES: Json = {**VOLUMES, "volumeMounts": [{"name": "files", "mountPath": "/files"}]}
FILE: Json = {
    **FILES,
    "volumes": [{"name": "files", "configMap": {"name": "settings", "items": [{"key": "a", "path": "a"}]}}],
}


def binary(**values: str) -> Json:
    return {"ConfigMap.v1": {"default/settings": named("settings", binaryData=values)}}


def changed(related: Json, **fields: Any) -> Json:
    """Return *related* with other *fields* of the ConfigMap settings, and another ConfigMap beside it."""
    made = {**related["ConfigMap.v1"]["default/settings"], **fields}
    return {"ConfigMap.v1": {"default/settings": made, "default/other": named("other", data={"a": "2"})}}


METADATA = {"name": "settings", "namespace": "default", "resourceVersion": "9", "labels": {"new": "1"}}
A1, A2 = settings(a="1"), settings(a="2")
USED: dict[str, tuple[Json, Json, Json]] = {
    "a value, of all keys": (ALL, A1, A2),
    "the value of one key": (ONE, A1, A2),
    "the value of an optional key": (MAYBE, A1, A2),
    "the first key": (ALL, settings(), A1),
    "one more key": (ALL, A1, settings(a="1", b="1")),
    "the name of a key": (ALL, A1, settings(b="1")),
    "values move between keys": (ALL, settings(a="1", b="2"), settings(a="2", b="1")),
    "binary data of all files": (FILES, binary(a="QQ=="), binary(a="Qg==")),
    "binary data of one file": (FILE, binary(a="QQ=="), binary(a="Qg==")),
    "the same text as binary data": (FILES, settings(a="QQ=="), binary(a="QQ==")),
    "the same text as binary data of one file": (FILE, settings(a="QQ=="), binary(a="QQ==")),
    "a text that looks like binary data": (FILES, settings(a="binary:QQ=="), binary(a="QQ==")),
}
NOT_USED: dict[str, tuple[Json, Json, Json]] = {
    "a key that is not used": (ONE, A1, settings(a="1", b="2")),
    "the order of keys": (ALL, settings(a="1", b="2"), settings(b="2", a="1")),
    "another ConfigMap": (ALL, A1, changed(A1)),
    "metadata": (ALL, A1, changed(A1, metadata=METADATA)),
    "replaced by an immutable one": (ALL, A1, changed(A1, immutable=True)),
    "binary data that is not used": (FILE, binary(a="QQ=="), binary(a="QQ==", b="")),
    # The kubelet does not look at binary data for variables, and skips a volume that is not mounted.
    "binary data for variables": (ALL, settings(), binary(a="QQ==")),
    "a volume that is not mounted": ({**VOLUMES, **ONE}, A1, settings(a="1", b="1")),
    "without references": ({}, A1, A2),
}


@pytest.mark.parametrize("what", [*USED, *NOT_USED])
def test_what_the_pods_use_changes_the_hash_and_nothing_else_does(what: str) -> None:
    spec, one, other = {**USED, **NOT_USED}[what]

    assert (config_hash(spec, one) != config_hash(spec, other)) == (what in USED)


@pytest.mark.parametrize("spec", [{}, VOLUMES], ids=["without references", "a volume that is not mounted"])
def test_pods_that_use_no_configuration_have_no_hash(spec: Json) -> None:
    assert config_hash(spec, settings(a="1")) is None


def test_a_config_hash_is_made_of_all_entries_in_their_order() -> None:
    """It never changes: another one would replace Pods. More entries than are hashed at a time are one text, too."""
    many = {f"k{number}": str(number) for number in range(2500)}
    related = settings(**many)
    related["ConfigMap.v1"]["default/other"] = named("other", data={"b": 'é"'}, binaryData={"a": "QQ=="})
    spec: Json = {**ALL, **FILES, "volumes": [{"name": "files", "configMap": {"name": "other"}}]}
    entries = [*(("settings", *entry) for entry in many.items()), ("other", "a", "\0QQ=="), ("other", "b", 'é"')]
    text = msgspec.json.encode(["ConfigMap", sorted(entries)])

    assert config_hash(spec, related) == hmac.new(UID.encode(), text, hashlib.sha256).hexdigest()[:16]


def test_a_variable_is_missing_whose_key_has_binary_data() -> None:
    moved = sync(my_resource(**ONE), running(ONE, settings(a="1")), related=binary(a="MQ=="))

    assert reason(moved) == "ConfigNotFound"


def test_equal_contents_of_two_parents_have_different_hashes() -> None:
    assert config_hash(ALL, settings(a="1")) != config_hash(ALL, settings(a="1"), uid=UID[::-1])


@pytest.mark.parametrize(
    ("spec", "related", "what"),
    [
        pytest.param(ALL, {"ConfigMap.v1": {}}, "ConfigMap settings", id="the ConfigMap"),
        pytest.param(ONE, {"ConfigMap.v1": {}}, "ConfigMap settings", id="the ConfigMap of a key"),
        pytest.param(ONE, settings(b="2"), "key a of ConfigMap settings", id="its key"),
    ],
)
def test_what_is_missing_is_reported_and_keeps_the_hash_while_the_rest_follows_the_spec(
    spec: Json, related: Json, what: str
) -> None:
    before = running(spec, settings(a="1"))

    answer = sync(my_resource(**spec | {"image": "nginx:1.28"}, generation=2), before, related=related)
    later = sync(my_resource(**spec), before, related=related)

    assert config_hashes(answer) == before["spec"]["template"]["metadata"]["annotations"]
    assert child(answer, "Deployment")["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx:1.28"
    assert reason(answer) == "Building"
    assert (reason(later), condition(later)["status"]) == ("ConfigNotFound", "False")
    assert condition(later)["message"].startswith(f"Missing: {what}. Create what is missing")
    assert condition(later, "Reconciling")["status"] == "True"
    assert condition(later, "Available")["status"] == "True"


def test_a_rollout_that_waits_for_what_is_missing_is_stalled_after_its_deadline() -> None:
    late = running(ALL, settings(a="1"))
    exceeded = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    late["status"] |= {"updatedReplicas": 0, "conditions": [exceeded]}

    answer = sync(my_resource(**ALL), late, related={"ConfigMap.v1": {}})

    assert reason(answer) == "ConfigNotFound"
    assert condition(answer, "Stalled")["status"] == "True"
    assert answer["status"]["state"] == "Failed"


def variables(*keys: str) -> list[Json]:
    """Return a variable for each of *keys* of the ConfigMap settings."""
    refs = [{"configMapKeyRef": {"name": "settings", "key": key}} for key in keys]
    return [{"name": f"V{number}", "valueFrom": ref} for number, ref in enumerate(refs)]


def missing(spec: Json, related: Json) -> str:
    """Return what the status says is missing, once the Deployment is rolled out."""
    answer = sync(my_resource(**spec), running(spec, {}), related=related)
    assert reason(answer) == "ConfigNotFound"
    return str(condition(answer)["message"]).removeprefix("Missing: ").partition(". Create what is missing")[0]


def test_all_that_is_missing_is_said_once_in_the_order_of_the_spec() -> None:
    spec: Json = {
        "env": variables("z", "a"),
        "envFrom": [{"configMapRef": {"name": "other"}}, {"configMapRef": {"name": "other"}, "prefix": "P"}],
        **FILES,
    }

    assert missing(spec, settings(b="1")) == "key z of ConfigMap settings, key a of ConfigMap settings, ConfigMap other"
    assert missing(spec, settings(a="1", z="1")) == "ConfigMap other"
    assert missing(spec, {"ConfigMap.v1": {}}) == "ConfigMap settings, ConfigMap other"


@pytest.mark.parametrize("spec", [ALL, ONE, FILES], ids=["all keys", "one key", "files"])
def test_without_replicas_nothing_is_missing_and_the_template_is_the_same(spec: Json) -> None:
    none: Json = {**spec, "replicas": 0}
    before = running(none, settings(a="1"))

    answer = sync(my_resource(**none), before, related={"ConfigMap.v1": {}})

    assert reason(answer) == "ScaledToZero"
    assert config_hashes(answer) == config_hashes(sync(my_resource(**spec), related=settings(a="1")))
    assert missing(spec, {"ConfigMap.v1": {}}) == "ConfigMap settings"


def test_at_the_first_start_what_is_missing_or_switched_off_leaves_the_hash_out() -> None:
    off = {**ALL, "configReload": {"mode": "Disabled"}}

    answers = sync(my_resource(**ALL), related={"ConfigMap.v1": {}}), sync(my_resource(**off), related=settings(a="2"))

    assert [(config_hashes(answer), reason(answer)) for answer in answers] == [({}, "Building")] * 2


@pytest.mark.parametrize("related", [{"ConfigMap.v1": {}}, settings(b="1")], ids=["the ConfigMap", "its key"])
def test_what_is_optional_may_be_missing_and_changes_the_hash_when_it_comes(related: Json) -> None:
    before = running(MAYBE, related)

    assert reason(sync(my_resource(**MAYBE), before, related=related)) == "Available"
    assert config_hash(MAYBE, related) not in (None, config_hash(MAYBE, settings(a="1")))


@pytest.mark.parametrize(
    ("fields", "related"),
    [
        pytest.param({}, {}, id="a group that was not asked for"),
        pytest.param({}, {"ConfigMap.v1": {"default/settings": named("settings", data={"a": 5})}}, id="unreadable"),
        pytest.param({"configReload": {"mode": "Disabled"}}, settings(a="2"), id="switched off"),
        pytest.param({"configReload": {"mode": "Disabled"}}, {"ConfigMap.v1": {}}, id="missing, and switched off"),
    ],
)
def test_configuration_that_is_not_looked_at_keeps_the_hash_and_is_not_missing(fields: Json, related: Json) -> None:
    before = running(ALL, settings(a="1"))

    answer = sync(my_resource(**ALL, **fields), before, related=related)

    assert config_hashes(answer) == before["spec"]["template"]["metadata"]["annotations"]
    assert reason(answer) == "Available"


def test_secrets_are_not_watched_by_default() -> None:
    parent = my_resource(**SECRET)

    assert config_hashes(sync(parent, related=login(a="MQ=="))) == {}
    assert set(config_hashes(sync(parent, related=login(a="MQ=="), watch=WATCHING_SECRETS))) == {SECRETS}


def test_a_secrets_value_is_in_no_answer() -> None:
    secret = login(password="c2VjcmV0")  # noqa: S106 - it is none
    answer = sync(my_resource(**SECRET), related=secret, watch=WATCHING_SECRETS)

    assert "c2VjcmV0" not in str(answer)
    assert "password" not in str(answer)


def test_secrets_and_config_maps_have_a_hash_each() -> None:
    both = my_resource(envFrom=[*ALL["envFrom"], *SECRET["envFrom"]])

    def made(config: str, secret: str) -> Json:
        return config_hashes(sync(both, related={**settings(a=config), **login(a=secret)}, watch=WATCHING_SECRETS))

    assert made("1", "MQ==")[CONFIG] == made("1", "Mg==")[CONFIG] != made("2", "MQ==")[CONFIG]
    assert made("1", "MQ==")[SECRETS] == made("2", "MQ==")[SECRETS] != made("1", "Mg==")[SECRETS]


def test_no_longer_watching_secrets_restarts_nothing() -> None:
    before = running(SECRET, login(a="MQ=="), WATCHING_SECRETS)

    assert reason(sync(my_resource(**SECRET), before)) == "Available"
