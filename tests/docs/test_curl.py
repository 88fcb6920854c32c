"""The page about curl: its commands print what it says, and its files continue its first request."""

import json
import re
from collections.abc import Iterator

import pytest

from tests.docs.documents import ROOT, Console, consoles, printed
from tests.requests.builders import MYRESOURCE, NOW, Json
from tests.service.operator import served
from toolkit.served.process import Served
from toolkit.served.refusals import without_id

PAGE = "docs/concepts/curl.md"
BLOCKS = consoles(PAGE)
KEY = "default/web-deployment"


@pytest.fixture(name="hook", scope="module")
def _hook() -> Iterator[Served]:
    with served() as hook:
        yield hook


def sent(command: str, hook: Served) -> str:
    """Return what *command* prints, with the ports of *hook* in place of those of the page."""
    local = "http://127.0.0.1"
    return printed(command.replace(f"{local}:8080", hook.url).replace(f"{local}:8081", hook.health_url))


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_command_of_the_page_prints_what_the_page_says(block: Console, hook: Served) -> None:
    assert without_id(sent(block.command, hook)).removesuffix("\n") == without_id(block.output).removesuffix("\n")


def test_the_recorded_response_is_in_the_examples() -> None:
    assert BLOCKS[-1].output == (ROOT / "examples/answers/ready.json").read_text()


def first_request() -> Json:
    """Return the request that the page begins with."""
    (text,) = re.findall(r"-d '(.*?)'", BLOCKS[0].command, re.DOTALL)
    request: Json = json.loads(text)
    return request


def file(name: str) -> Json:
    """Return the request in the file *name* of the page."""
    request: Json = json.loads((ROOT / "examples/curl" / name).read_text())
    return request


def deployment(request: Json) -> Json:
    """Return the observed Deployment of *request*."""
    observed: Json = request["children"]["Deployment.apps/v1"][KEY]
    return observed


def test_the_files_continue_the_smallest_request() -> None:
    first, created, ready, killed = first_request(), *map(file, ("created.json", "ready.json", "oom-killed.json"))
    (child,) = json.loads(MYRESOURCE.handle_sync(json.dumps(first).encode(), NOW).body)["children"]
    groups = {"Deployment.apps/v1": {KEY: child}, "Service.v1": {}}

    assert created == {**first, "children": groups}
    for later in (ready, killed):
        assert later["parent"].items() >= first["parent"].items()
        assert {**deployment(later), "status": None} == {
            **child,
            "metadata": {**child["metadata"], "generation": 4},
            "status": None,
        }


def test_the_status_in_a_file_is_that_of_its_response() -> None:
    ready = file("ready.json")

    assert (
        json.loads(MYRESOURCE.handle_sync(json.dumps(ready).encode(), NOW).body)["status"] == ready["parent"]["status"]
    )
