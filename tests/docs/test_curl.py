"""The page about curl: its files continue its first request."""

import json

from tests.docs.documents import ROOT, consoles
from tests.requests.builders import MYRESOURCE, NOW, Json

BLOCKS = consoles("docs/concepts/curl.md")


def test_the_recorded_response_is_in_the_examples() -> None:
    assert BLOCKS[-1].output == (ROOT / "examples/answers/ready.json").read_text()


def file(name: str) -> Json:
    """Return the request in the file *name* of the page."""
    request: Json = json.loads((ROOT / "examples/curl" / name).read_text())
    return request


def test_the_status_in_a_file_is_that_of_its_response() -> None:
    ready = file("ready.json")

    assert (
        json.loads(MYRESOURCE.handle_sync(json.dumps(ready).encode(), NOW).body)["status"] == ready["parent"]["status"]
    )
