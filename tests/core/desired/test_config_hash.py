"""A changed key that is used changes the hash in the Pod template; nothing else does."""

import hashlib
import hmac
from typing import Any

import msgspec
import pytest

from app.core.watch import Watch
from tests.requests.builders import UID, child, condition, finished, my_resource, owned, reason, rolled_out, sync

Json = dict[str, Any]

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


def config_hash(spec: Json, related: Json, *observed: Json, watch: Watch | None = None, **parent: Any) -> str | None:
    found: str | None = config_hashes(sync(my_resource(**spec, **parent), *observed, related=related, watch=watch)).get(
        CONFIG
    )
    return found


def running(spec: Json, related: Json, watch: Watch | None = None) -> Json:
    """Return the Deployment of a finished rollout."""
    parent = my_resource(**spec)
    return rolled_out(owned(child(sync(parent, related=related, watch=watch), "Deployment"), parent))


@pytest.mark.parametrize("spec", [ALL, ONE, MAYBE], ids=["all keys", "one key", "an optional key"])
def test_a_used_key_changes_the_hash(spec: Json) -> None:
    assert config_hash(spec, settings(a="1")) != config_hash(spec, settings(a="2"))


def test_a_key_that_comes_or_goes_changes_the_hash_where_all_are_used() -> None:
    assert len({config_hash(ALL, settings(**data)) for data in ({}, {"a": "1"}, {"a": "1", "b": "1"}, {"b": "1"})}) == 4


def test_a_key_that_is_not_used_does_not_change_the_hash() -> None:
    assert config_hash(ONE, settings(a="1")) == config_hash(ONE, settings(a="1", b="2"))


def test_a_config_hash_is_made_of_all_entries_in_their_order() -> None:
    """It never changes: another one would replace Pods. More entries than are hashed at a time are one text, too."""
    many = {f"k{number}": str(number) for number in range(2500)}
    related = settings(**many)
    related["ConfigMap.v1"]["default/other"] = named("other", data={"b": 'é"'}, binaryData={"a": "QQ=="})
    spec: Json = {
        **ALL,
        "volumes": [{"name": "files", "configMap": {"name": "other"}}],
        "volumeMounts": [{"name": "files", "mountPath": "/files"}],
    }
    entries = [("settings", key, value) for key, value in many.items()] + [
        ("other", "a", "\0QQ=="),
        ("other", "b", 'é"'),
    ]
    text = msgspec.json.encode(["ConfigMap", sorted(entries)])

    assert config_hash(spec, related) == hmac.new(UID.encode(), text, hashlib.sha256).hexdigest()[:16]


def test_metadata_does_not_change_the_hash() -> None:
    touched = settings(a="1")
    touched["ConfigMap.v1"]["default/settings"]["metadata"].update(resourceVersion="9", labels={"new": "1"})

    assert config_hash(ALL, settings(a="1")) == config_hash(ALL, touched)


def test_another_config_map_does_not_change_the_hash() -> None:
    more = settings(a="1")
    more["ConfigMap.v1"]["default/other"] = named("other", data={"a": "2"})

    assert config_hash(ALL, settings(a="1")) == config_hash(ALL, more)


VOLUMES: Json = {"volumes": [{"name": "files", "configMap": {"name": "settings"}}]}
FILES: Json = {**VOLUMES, "volumeMounts": [{"name": "files", "mountPath": "/files"}]}


def binary(**values: str) -> Json:
    return {"ConfigMap.v1": {"default/settings": named("settings", binaryData=values)}}


def test_binary_data_is_content_of_files_too() -> None:
    found = {
        config_hash(FILES, settings(a="QQ==")),
        config_hash(FILES, binary(a="QQ==")),
        config_hash(FILES, binary(a="Qg==")),
    }

    assert len(found) == 3


def test_one_key_of_binary_data_is_content_of_a_file() -> None:
    one = {"name": "files", "configMap": {"name": "settings", "items": [{"key": "a", "path": "a"}]}}
    spec: Json = {**FILES, "volumes": [one]}

    assert (
        config_hash(spec, binary(a="QQ=="))
        == config_hash(spec, binary(a="QQ==", b=""))
        != config_hash(spec, binary(a="Qg=="))
    )
    assert config_hash(spec, binary(a="QQ==")) != config_hash(spec, settings(a="QQ=="))


def test_binary_data_is_never_taken_for_data() -> None:
    assert config_hash(FILES, settings(a="binary:QQ==")) != config_hash(FILES, binary(a="QQ=="))


def test_binary_data_is_no_content_of_variables() -> None:
    """The kubelet does not look at it there."""
    moved = sync(my_resource(**ONE), running(ONE, settings(a="1")), related=binary(a="MQ=="))

    assert config_hash(ALL, binary(a="QQ==")) == config_hash(ALL, binary(a="Qg==")) == config_hash(ALL, settings())
    assert reason(moved) == "ConfigNotFound"


def test_equal_contents_of_two_parents_have_different_hashes() -> None:
    assert config_hash(ALL, settings(a="1")) != config_hash(ALL, settings(a="1"), uid=UID[::-1])


def test_the_order_of_keys_does_not_matter() -> None:
    assert config_hash(ALL, settings(a="1", b="2")) == config_hash(ALL, settings(b="2", a="1"))


def test_values_that_move_between_keys_change_the_hash() -> None:
    assert config_hash(ALL, settings(a="1", b="2")) != config_hash(ALL, settings(a="2", b="1"))


def test_without_references_there_is_no_hash() -> None:
    assert config_hash({}, settings(a="1")) is None


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
    late["status"] = {
        **late["status"],
        "updatedReplicas": 0,
        "conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}],
    }

    answer = sync(my_resource(**ALL), late, related={"ConfigMap.v1": {}})

    assert reason(answer) == "ConfigNotFound"
    assert condition(answer, "Stalled")["status"] == "True"
    assert answer["status"]["state"] == "Failed"


def variables(*keys: str, name: str = "settings") -> list[Json]:
    """Return a variable for each of *keys* of the ConfigMap *name*."""
    refs = [{"configMapKeyRef": {"name": name, "key": key}} for key in keys]
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


def test_what_does_not_fit_is_others_and_the_remedy_is_never_cut() -> None:
    spec: Json = {"env": variables(*(f"{'k' * 240}{number}" for number in range(20)))}

    said = missing(spec, settings())
    answer = sync(my_resource(**spec), running(spec, {}), related=settings())

    assert said.count("ConfigMap settings") == 2
    assert said.endswith(", and others")
    assert condition(answer)["message"].endswith("Running Pods are not affected.")


def test_a_volume_that_is_not_mounted_is_not_looked_at() -> None:
    """The kubelet skips it."""
    spec = {**VOLUMES, **ONE}
    before = running(spec, settings(a="1"))

    assert config_hash(VOLUMES, settings(a="1")) is None
    assert reason(sync(my_resource(**VOLUMES), running(VOLUMES, {}), related={"ConfigMap.v1": {}})) == "Available"
    assert (
        config_hash(spec, settings(a="1", b="1"))
        == config_hash(spec, settings(a="1", b="2"))
        == config_hash(ONE, settings(a="1"))
    )
    assert reason(sync(my_resource(**spec), before, related=settings(a="1"))) == "Available"
    assert missing({**ONE, **FILES}, {"ConfigMap.v1": {}}) == "ConfigMap settings"


@pytest.mark.parametrize("spec", [ALL, ONE, FILES], ids=["all keys", "one key", "files"])
def test_without_replicas_nothing_is_missing_and_the_template_is_the_same(spec: Json) -> None:
    none: Json = {**spec, "replicas": 0}
    before = running(none, settings(a="1"))

    answer = sync(my_resource(**none), before, related={"ConfigMap.v1": {}})

    assert reason(answer) == "ScaledToZero"
    assert config_hashes(answer) == config_hashes(sync(my_resource(**spec), related=settings(a="1")))
    assert missing(spec, {"ConfigMap.v1": {}}) == "ConfigMap settings"


def test_what_is_missing_at_the_first_start_leaves_the_hash_out() -> None:
    answer = sync(my_resource(**ALL), related={"ConfigMap.v1": {}})

    assert config_hashes(answer) == {}
    assert reason(answer) == "Building"


@pytest.mark.parametrize("related", [{"ConfigMap.v1": {}}, settings(b="1")], ids=["the ConfigMap", "its key"])
def test_what_is_optional_may_be_missing_and_changes_the_hash_when_it_comes(related: Json) -> None:
    before = running(MAYBE, related)

    assert reason(sync(my_resource(**MAYBE), before, related=related)) == "Available"
    assert config_hash(MAYBE, related) not in (None, config_hash(MAYBE, settings(a="1")))


def test_a_group_that_was_not_asked_for_changes_nothing() -> None:
    before = running(ALL, settings(a="1"))

    answer = sync(my_resource(**ALL), before, related={})

    assert config_hashes(answer) == before["spec"]["template"]["metadata"]["annotations"]
    assert reason(answer) == "Available"


def test_a_config_map_that_cannot_be_read_changes_nothing() -> None:
    before = running(ALL, settings(a="1"))
    related = {"ConfigMap.v1": {"default/settings": named("settings", data={"a": 5})}}

    assert (
        config_hashes(sync(my_resource(**ALL), before, related=related))
        == before["spec"]["template"]["metadata"]["annotations"]
    )


def test_one_that_is_replaced_counts_by_its_contents_alone() -> None:
    replaced = settings(a="1")
    replaced["ConfigMap.v1"]["default/settings"] |= {"immutable": True}

    assert config_hash(ALL, replaced) == config_hash(ALL, settings(a="1"))


def test_switched_off_it_keeps_the_hash_and_reports_nothing_that_is_missing() -> None:
    before = running(ALL, settings(a="1"))
    off = my_resource(**ALL, configReload={"mode": "Disabled"})

    answer = sync(off, before, related=settings(a="2"))

    assert config_hashes(answer) == before["spec"]["template"]["metadata"]["annotations"]
    assert config_hashes(sync(off, related=settings(a="2"))) == {}
    assert reason(sync(off, before, related={"ConfigMap.v1": {}})) == "Available"


@pytest.mark.parametrize("broken", [5, [], {"metadata": 5}, {"metadata": {"annotations": {CONFIG: 5}}}], ids=str)
def test_a_template_that_no_client_could_have_written_has_no_hash(broken: Any) -> None:
    (before,) = finished(my_resource(**ALL))
    before["spec"] = {**before["spec"], "template": broken}

    assert config_hashes(sync(my_resource(**ALL), before)) == {}


def test_secrets_are_not_watched_by_default() -> None:
    parent = my_resource(**SECRET)

    assert config_hashes(sync(parent, related=login(a="MQ=="))) == {}
    assert set(config_hashes(sync(parent, related=login(a="MQ=="), watch=WATCHING_SECRETS))) == {SECRETS}


def test_a_secrets_value_is_in_no_answer() -> None:
    answer = sync(my_resource(**SECRET), related=login(password="c2VjcmV0"), watch=WATCHING_SECRETS)  # noqa: S106 - it is none

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
