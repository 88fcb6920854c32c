from datetime import timedelta
from typing import Any

from metahook import LAST_APPLIED, ConfigMap, Manifest, Resend, was_resent, with_repair
from toolkit.builders import NOW
from toolkit.hooks.minimal import config_map, observed_children

KEY = "example.com/repair"


def with_metadata(**metadata: Any) -> Manifest:
    child = config_map()
    return {**child, "metadata": {**child["metadata"], **metadata}}


def observed(**metadata: Any) -> ConfigMap:
    found = observed_children(with_metadata(**metadata)).get(ConfigMap, "hello")
    assert found
    return found


def resend(seconds: float = 0) -> Resend:
    return Resend("data.a of ConfigMap hello", NOW, NOW + timedelta(seconds=seconds))


def test_a_child_without_labels_and_annotations_needs_no_repair() -> None:
    assert with_repair(config_map(), observed(), KEY) == config_map()
    assert with_repair(with_metadata(labels={}), observed(labels={"a": "1"}), KEY) == with_metadata(labels={})


def test_a_child_that_is_not_observed_needs_no_repair() -> None:
    assert with_repair(with_metadata(labels={"a": "1"}), None, KEY, resend()) == with_metadata(labels={"a": "1"})


def test_while_a_label_is_missing_the_child_carries_the_annotation_beside_its_own() -> None:
    desired = with_metadata(labels={"a": "1"}, annotations={"b": "2"})

    missing, whole = with_repair(desired, observed(), KEY), with_repair(desired, observed(labels={"a": "1"}), KEY)

    assert missing["metadata"]["annotations"].keys() == {"b", KEY}
    assert whole == desired


def test_a_label_with_another_value_is_repaired_too() -> None:
    repaired = with_repair(with_metadata(labels={"a": "1"}), observed(labels={"a": "2"}), KEY)

    assert KEY in repaired["metadata"]["annotations"]


def test_an_annotation_that_is_to_be_restored_is_repaired_under_server_side_apply_alone() -> None:
    desired, applied = with_metadata(annotations={"a": "1", "b": "2"}), {LAST_APPLIED: "{}"}

    assert KEY in with_repair(desired, observed(), KEY, restored=["a"])["metadata"]["annotations"]
    assert with_repair(desired, observed(annotations={"a": "0"}), KEY, restored=["a"]) == desired
    assert with_repair(desired, observed(annotations=applied), KEY, restored=["a"]) == desired
    assert with_repair(desired, observed(), KEY) == desired


def test_a_value_is_sent_again_every_ten_minutes() -> None:
    tokens = [
        with_repair(config_map(), observed(), KEY, resend(seconds))["metadata"]["annotations"][KEY]
        for seconds in (0, 599, 600)
    ]

    assert tokens[0] == tokens[1] != tokens[2]


def test_what_was_sent_again_is_found_on_the_child_whenever_it_was() -> None:
    sent = with_repair(with_metadata(labels={"a": "1"}), observed(), KEY, resend())["metadata"]["annotations"]

    assert was_resent(observed(annotations=sent), KEY, resend(9999))
    assert not was_resent(observed(annotations=sent), KEY, Resend("data.b of ConfigMap hello", NOW, NOW))
    assert not was_resent(observed(), KEY, resend())
