"""Development mode, as docs/hook-reference.md shows it."""

import json
import logging
import re
from runpy import run_path
from typing import Any

import pytest
from fastapi import FastAPI

from metahook import Controller
from metahook.cli.commands.new import TEMPLATES
from metahook.cli.dev_log import logging_calls
from metahook.server import ServerOptions, create_app
from toolkit.cli.command import call as metahook
from toolkit.documents import blocks, page
from toolkit.root import ROOT
from toolkit.served.asgi import call

Json = dict[str, Any]

PAGE = page("hook-reference")
HOOK = ROOT / "examples/greeting/greetings.py"
METADATA = {"name": "hi", "namespace": "default"}
OBSERVED: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": METADATA, "data": {"text": "hello"}}

(SHOWN,) = blocks(PAGE, "text")
"""What the page shows of the log."""


@pytest.fixture(name="greetings", scope="module")
def _greetings() -> Controller:
    controller: Controller = run_path(str(HOOK))["GREETINGS"]
    return controller


def body(text: str, generation: int, *observed: Json) -> bytes:
    group = {f"default/{item['metadata']['name']}": item for item in observed}
    parent = {"metadata": {**METADATA, "uid": "1", "generation": generation}, "spec": {"text": text}}
    return json.dumps({"children": {"ConfigMap.v1": group}, "parent": parent}).encode()


BODIES = [body("hello", 1), body("hello", 1), body("hello", 1, OBSERVED), body("bye", 2, OBSERVED)]


def without_durations(log: str) -> str:
    return re.sub(r"in [\d.]+ ms", "in 1.0 ms", log)


def log_of(controller: Controller, bodies: list[bytes], caplog: pytest.LogCaptureFixture) -> str:
    """Return what *controller* logs for *bodies* in development mode."""
    app = create_app(controller, ServerOptions(around=logging_calls()))
    with caplog.at_level(logging.INFO, "metahook.cli.dev_log"):
        for each in bodies:
            assert call(app, "/sync", each).status_code == 200
    messages = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    return without_durations("".join(f"{message}\n" for message in messages if message.startswith("/sync")))


def test_the_log_of_the_page_is_the_one_of_its_hook(greetings: Controller, caplog: pytest.LogCaptureFixture) -> None:
    assert log_of(greetings, BODIES, caplog) == without_durations(SHOWN)


def test_the_examples_have_the_spec_of_the_controller(greetings: Controller) -> None:
    (text,) = re.findall(r"`example_spec=(\{.*?\})`", PAGE)
    with_example = Controller(greetings.sync, greetings.children, example_spec=json.loads(text))
    document = call(create_app(with_example), "/openapi.json", method="GET").json()
    request = document["paths"]["/sync"]["post"]["requestBody"]["content"]["application/json"]["example"]

    answer = call(create_app(with_example), "/sync", json.dumps(request).encode()).json()

    assert answer["children"][0]["data"] == json.loads(text) == {"text": "hello"}


URL = re.compile(r"http://127\.0\.0\.1:8080(/[\w./-]*)")
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md"), *TEMPLATES.rglob("*.md")]
PROMISED = {
    **{str(path): path.read_text() for path in PAGES},
    **{f"{name} --help": " ".join(metahook(name, "--help").out.split()) for name in ("dev", "new", "record")},
}


def is_served(app: FastAPI, url: str) -> bool:
    return call(app, url, method="GET").status_code != 404


@pytest.mark.parametrize("where", PROMISED)
def test_each_address_that_a_page_or_help_names_is_served(where: str, greetings: Controller) -> None:
    addresses = [url.rstrip(".") for url in URL.findall(PROMISED[where])]

    assert [url for url in addresses if not is_served(create_app(greetings), url)] == []


def test_an_address_that_is_not_served_is_noticed(greetings: Controller) -> None:
    assert URL.findall(PROMISED["dev --help"]) == ["/openapi.json"]
    assert not is_served(create_app(greetings), "/")
