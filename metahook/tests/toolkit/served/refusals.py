"""Refusals as a client gets them: a text, and the id of the line in the log."""

import json
import re

import httpx


def error(content: bytes) -> str:
    """Return the text of the refusal with the body *content*; fail if it has anything else than a text and an id."""
    body = json.loads(content)
    assert body.keys() == {"error", "id"}
    assert re.fullmatch("[0-9a-f]{8}", body["id"])
    text: str = body["error"]
    return text


def refusal(response: httpx.Response) -> tuple[int, str]:
    """Return the status and the text of the refusal that *response* is."""
    return response.status_code, error(response.content)


def without_id(output: str) -> str:
    """Return *output* with the same id in each error: a process chooses its own."""
    return re.sub(r'"id": "[0-9a-f]{8}"', '"id": "00000000"', output)
