"""The page of development mode about MyResources: the real program, and a browser's requests to it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.cli.bound import EXAMPLES
from tests.service.operator import FORKED, served
from toolkit.served.process import CLIENT

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
WEB = (ROOT / "examples/web.yaml").read_text()


@pytest.fixture(name="url", scope="module")
def _url() -> Iterator[str]:
    with served(*FORKED, "serve", "--dev") as operator:
        yield operator.url


def asked(url: str, path: str, body: Json) -> httpx.Response:
    return CLIENT.post(f"{url}/page/{path}", json=body)


def test_the_page_starts_with_the_examples_and_the_fields_of_a_myresource(url: str) -> None:
    text = CLIENT.get(url).text
    (start,) = re.findall(r'id="start">(.*?)</script>', text)
    page = json.loads(start)

    assert [example["name"] for example in page["examples"]] == [f"examples/{name}.yaml" for name in EXAMPLES]
    (schema,) = page["schemas"].values()
    assert schema["properties"]["spec"]["properties"]["image"]["description"]
    assert "x-kubernetes-validations" not in start
    assert len(text) < 300_000


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_becomes_a_deployment(url: str, name: str) -> None:
    text = (ROOT / f"examples/{name}.yaml").read_text()
    response = asked(url, "simulation", {"steps": [{"at": 0, "apply": text}]})

    assert response.status_code == 200
    history = response.json()
    assert history["findings"] == []
    assert any(
        entry.get("text", "").startswith("creates Deployment") for entry in history["entries"] if "after" in entry
    )


def test_a_wrong_value_is_shown_at_its_line_in_the_words_of_the_command_line(url: str) -> None:
    wrong = WEB.replace("memory: 64Mi", "memory: lots\n  imge: a")
    response = asked(url, "check", {"text": wrong, "before": WEB})

    found = {error["line"]: error["message"] for error in response.json()["errors"]}
    lines = wrong.splitlines()
    memory, image = lines.index("  memory: lots") + 1, lines.index("  imge: a") + 1
    assert "must be a whole number of bytes above 0, such as 128Mi" in found[memory]
    assert "spec.imge: unknown field" in found[image]


def test_a_failure_ends_as_the_status_says_and_the_hook_is_still_served(url: str) -> None:
    steps = [{"at": 0, "apply": WEB}, {"at": 30, "fail": "oom"}]
    history = asked(url, "simulation", {"steps": steps, "until": 60}).json()

    states = [entry["text"] for entry in history["entries"] if "MyResource web is" in (entry.get("text") or "")]
    assert "was OOMKilled at its 64Mi limit: raise spec.memory" in states[-1]
    body = (ROOT / "examples/requests/ready.json").read_bytes()
    assert CLIENT.post(f"{url}/sync", content=body, headers={"content-type": "application/json"}).status_code == 200


def test_a_server_that_is_not_in_development_mode_has_no_page() -> None:
    with served() as operator:
        assert CLIENT.get(operator.url).status_code == 404
        assert asked(operator.url, "check", {"text": WEB}).status_code == 404
