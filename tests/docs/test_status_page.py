"""The page about the status is complete, and its example is a status that the hook writes."""

import yaml

from app.core.status.glossary import TERMS
from metahook.server.app import create_app
from tests.api.apiserver import refusals
from tests.docs.documents import ROOT
from tests.properties.state_transitions import EVERY, NEW, STATES
from tests.requests.builders import MYRESOURCE, Json
from toolkit.documents import blocks
from toolkit.served.asgi import call
from website.fields import below
from website.pictures import ARROWS
from website.status import FIELDS, NOW, REQUEST, SCHEMA, pages

(EXAMPLE,) = blocks(pages()["status.md"], "yaml")
SHOWN: Json = yaml.safe_load(EXAMPLE)
STATUS: Json = SHOWN["status"]


def answered(request: str) -> Json:
    """Return the status that the service answers to the recorded *request*."""
    app = create_app(MYRESOURCE, clock=lambda: NOW)
    status: Json = call(app, "/sync", (ROOT / "examples/requests" / request).read_bytes()).json()["status"]
    return status


def test_the_example_is_what_the_hook_answers_and_the_generation_that_metacontroller_adds() -> None:
    assert {**answered(REQUEST.name), "observedGeneration": SHOWN["metadata"]["generation"]} == STATUS


def test_the_example_has_every_field_and_the_api_server_stores_it() -> None:
    absent = {"override", "updatedReplicas", "countedAt", "address", "url", "schedule"}
    assert {*STATUS, *absent} == set(SCHEMA["properties"])
    assert refusals(STATUS, SCHEMA) == []


def test_the_page_has_every_field_and_state() -> None:
    assert set(FIELDS) == {path for path, _ in below(SCHEMA)}
    assert list(STATES) == [term.name for term in TERMS if term.kind == "state"]


def test_the_picture_has_every_state_and_only_changes_that_can_happen() -> None:
    changes = {(before, after) for before, after, _ in ARROWS}

    assert {after for _, after in changes} | {"Suspended", "Terminating"} == set(STATES)
    assert changes <= {*EVERY, *(("", state) for state in NEW)}
