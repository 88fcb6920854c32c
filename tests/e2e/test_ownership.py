"""What Metacontroller adds to children, and who wins a field that two set."""

from typing import Any

import pytest

from metahook.envtest.client import APPLY
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.foreign import Foreign
from tests.notes import note

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


@pytest.fixture(name="running")
def _running(foreign: Foreign) -> Foreign:
    """Return a namespace with the Note ``one``, which is at rest."""
    foreign.start(ignoreStatusChanges=True)
    foreign.put(note())
    foreign.eventually(lambda: foreign.word("Note") == "a")
    foreign.settle()
    return foreign


def apply_as(foreign: Foreign, manager: str, **data: str) -> None:
    """Apply the ConfigMap ``one`` with *data*, as the field *manager*, by force."""
    metadata = {"name": "one", "namespace": foreign.name}
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    query = {"fieldManager": manager, "force": "true"}
    where = foreign.client.path("ConfigMap", foreign.name, "one")
    headers = {"Content-Type": APPLY}
    foreign.client.http.patch(where, params=query, json=item, headers=headers).raise_for_status()


def owners(child: Json) -> dict[tuple[str, str], Any]:
    """Return the keys of data that each manager owns, by its name and operation."""
    return {
        (entry["manager"], entry["operation"]): sorted(entry["fieldsV1"].get("f:data", {}))
        for entry in child["metadata"]["managedFields"]
    }


def test_metacontroller_adds_the_owner_reference_and_the_label_that_no_answer_has(running: Foreign) -> None:
    parent, child = running.get("Note", "one"), running.get("ConfigMap", "one")
    reference = {"apiVersion": "example.com/v1", "kind": "Note", "name": "one", "uid": parent["metadata"]["uid"]}

    assert child["metadata"]["ownerReferences"] == [{**reference, "controller": True, "blockOwnerDeletion": True}]
    assert child["metadata"]["labels"] == {"controller-uid": parent["metadata"]["uid"]}
    assert [call.answer for call in running.calls() if "ownerReferences" in call.answer or "uid" in call.answer] == []


def test_the_field_manager_is_metacontroller(running: Foreign, mode: Mode) -> None:
    child = running.get("ConfigMap", "one")
    operation = "Apply" if mode == "server-side-apply" else "Update"

    assert [*owners(child)] == [("metacontroller", operation)]
    assert (LAST_APPLIED in child["metadata"].get("annotations", {})) == (mode == "dynamic-apply")


def test_of_a_field_that_two_managers_set_metacontrollers_value_wins(running: Foreign, mode: Mode) -> None:
    apply_as(running, "another", word="x", more="1")
    running.eventually(lambda: running.word("ConfigMap") == "a")
    running.settle()

    child = running.get("ConfigMap", "one")
    operation = "Apply" if mode == "server-side-apply" else "Update"
    owned = owners(child)
    assert child["data"] == {"word": "a", "more": "1"}
    assert "f:word" in owned["metacontroller", operation]
    assert "f:word" not in owned["another", "Apply"]


def test_a_field_that_the_answer_leaves_out_stays_as_another_manager_set_it(running: Foreign) -> None:
    apply_as(running, "another", more="1")
    running.settle()
    running.change_word("b")
    running.eventually(lambda: running.word("ConfigMap") == "b")
    running.settle()

    assert running.get("ConfigMap", "one")["data"] == {"word": "b", "more": "1"}


def test_a_second_apply_of_the_same_answer_is_no_write(running: Foreign) -> None:
    versions = [running.get(kind, "one")["metadata"]["resourceVersion"] for kind in ("ConfigMap",)]
    calls, done = len(running.calls()), running.since()

    running.edit("Note", {"metadata": {"annotations": {"example.com/sync": "now"}}}, "one")
    running.eventually(lambda: len(running.calls()) > calls)
    running.settle()

    assert [running.get(kind, "one")["metadata"]["resourceVersion"] for kind in ("ConfigMap",)] == versions
    requests = [str(request) for request in done.requests if request.name == "one"]
    assert {*requests} == {"get notes one"}


def test_metacontrollers_own_write_calls_sync_again_which_changes_nothing(running: Foreign) -> None:
    before = len(running.calls())

    running.change_word("b")
    running.eventually(lambda: running.word("Note") == "b")
    running.settle()

    first, *_, last = running.calls()[before:]
    key = f"{running.name}/one"
    words = [call.request["children"]["ConfigMap.v1"][key]["data"]["word"] for call in (first, last)]
    assert words == ["a", "b"]
    assert first.answer == last.answer
    version = last.request["children"]["ConfigMap.v1"][key]["metadata"]["resourceVersion"]
    assert running.get("ConfigMap", "one")["metadata"]["resourceVersion"] == version
