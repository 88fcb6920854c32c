"""Recorded requests of a real Metacontroller, in both of its modes, and what this hook answers to them.

The files are in tests/data/traffic, with golden answers beside them; after a change that is meant to change answers:

    pytest tests/test_traffic.py --update-golden

``pytest tests/test_traffic.py --traffic FOLDER`` runs over another folder of recorded files.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.core.controller import MYRESOURCE
from tests.build import NOW
from tests.oracle import expected_children, forbidden, status_problems, untidy
from tests.serving import served
from tests.traffic import FOLDER, Recorded, load

Json = dict[str, Any]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test its recorded files: *curated* ones are committed, *recorded* ones are in the folder asked for."""
    folder = metafunc.config.getoption("traffic") or FOLDER
    for argument, found in (("curated", FOLDER), ("recorded", Path(folder))):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, load(found), ids=lambda record: record.name)


@pytest.fixture(scope="module")
def server() -> Iterator[httpx.Client]:
    """Return a client of a hook that runs as a process of its own."""
    with served() as hook, httpx.Client(base_url=hook.url) as client:
        yield client


def test_a_recorded_request_gets_its_golden_answer(curated: Recorded, pytestconfig: pytest.Config) -> None:
    golden = curated.file.with_suffix(".answer.json")

    if curated.path == "/sync":
        answer = json.loads(MYRESOURCE.answer_sync(curated.json(), NOW))
    else:
        answer = json.loads(MYRESOURCE.answer_customize(curated.json()))

    if pytestconfig.getoption("update_golden"):
        golden.write_text(json.dumps(answer, indent=2, sort_keys=True) + "\n")
    assert answer == json.loads(golden.read_text())


def test_a_running_hook_answers_a_recorded_request(recorded: Recorded, server: httpx.Client) -> None:
    response = server.post(recorded.path, content=recorded.json(), headers={"Content-Type": "application/json"})

    assert response.status_code == httpx.codes.OK
    assert problems(recorded, response.json()) == []


def problems(recorded: Recorded, answer: Json) -> list[str]:
    """Return what is wrong with *answer*."""
    metadata = recorded.parent["metadata"]
    namespace = metadata["namespace"]
    if recorded.path != "/sync":
        rule = {"apiVersion": "v1", "resource": "services", "namespace": namespace, "names": [metadata["name"]]}
        asked = [rule] if recorded.parent["spec"].get("ports") else []
        return [] if answer == {"relatedResources": asked} else [f"rules are {answer}"]
    listed = {(child["kind"], child["metadata"]["name"]) for child in answer["children"]}
    wanted = expected_children(recorded.situation())
    return [
        *([] if listed == wanted else [f"children are {listed}"]),
        *(problem for child in answer["children"] for problem in (*forbidden(child, namespace), *untidy(child))),
        *status_problems(answer["status"]),
    ]
