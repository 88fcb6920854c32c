"""Answers that are meant to differ from those of 0.2.0."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.service.recorded_answers.commands import COMMANDS, FIXED_LIMITS, variable
from tests.service.recorded_answers.exchange import Answer


@dataclass(frozen=True)
class Difference:
    """An answer, and why it is better than the one of 0.2.0."""

    answer: Answer
    reason: str


RECORD = (
    "exit code 2: myresource: Invalid value for {}: serve does not record any more; use myresource record, "
    "a proxy in front of the hook; see: myresource serve --help"
)
OPTIONS = (
    *("--record-limit=0", "--record-limit=many", "--record-limit=1.5", "--record=", "--record-values"),
    *("--record FOLDER/text", "--record FOLDER/record"),
)
VARIABLES = (
    *("MYRESOURCE_RECORD_LIMIT=0", "MYRESOURCE_RECORD_LIMIT=many", "MYRESOURCE_RECORD_LIMIT=1.5"),
    *("MYRESOURCE_RECORD_VALUES=maybe", "MYRESOURCE_RECORD_VALUES=true", "MYRESOURCE_RECORD=FOLDER/text"),
)

FIXED = (
    "exit code 2: myresource: Invalid value for {}: the limit is fixed now, so leave it out{}; "
    "see: myresource serve --help"
)
MORE = {"max-large-bodies": ", and run more replicas to receive more large requests at a time"}
"""What else to do instead."""


def _fixed_limits() -> Iterator[tuple[str, Difference]]:
    for option in FIXED_LIMITS:
        for given in (f"--{option}", variable(option)):
            answer = Difference(FIXED.format(given, MORE.get(option, "")), "Nobody set it; it says what to do instead.")
            yield from ((name, answer) for name in COMMANDS if name.startswith(f"{given}="))


NO_PATH = "404 (content-type: application/json; connection: close)"
ONE_HOST = '400 (content-type: application/json; connection: close) {"error": "send the header Host once", "id": "*"}'
HTTP_1_1 = "HTTP/1.1 asks for it: RFC 9112, section 3.2."

DIFFERENCES: dict[str, dict[str, Difference]] = {
    "a hook": {
        "no length but a body": Difference(
            "400 (content-type: application/json; connection: close) "
            '{"error": "the request is not HTTP/1.1", "id": "*"}',
            "Without a length a request has no body: what follows is another request, which is the one that is wrong.",
        ),
        "no host": Difference(ONE_HOST, HTTP_1_1),
        "another transfer encoding": Difference(
            "400 (content-type: application/json; connection: close) "
            '{"error": "send the header Transfer-Encoding with the word chunked alone, or Content-Length", "id": "*"}',
            "It names the header, and what to send.",
        ),
        "a client that only sends": Difference("closed", "Over TLS it got none either, and the log said 200."),
    },
    "hostile requests": {
        "headers: no host": Difference(ONE_HOST, HTTP_1_1),
        "headers: two hosts": Difference(ONE_HOST, HTTP_1_1),
    },
    "MyResources": {
        f"malformed: parent.metadata.namespace = {value}": Difference(
            f'400 (content-type: application/json) {{"error": "parent.metadata.namespace {problem}", "id": "*"}}',
            "A parent may be in no namespace; the kind MyResource is declared to be in one.",
        )
        for value, problem in (
            ('""', "is missing"),
            ("null", "is missing"),
            ("1.5", "must be a string of at most 253 characters"),
            ("[]", "must be a string of at most 253 characters"),
        )
    },
    "a hook with one large body": {
        "a chunked body": Difference(
            '200 (content-type: application/json) {"children":[{"apiVersion":"v1","data":{"word":"good day"},'
            '"kind":"ConfigMap","metadata":{"name":"hello","namespace":"default"}}],"resyncAfterSeconds":60,'
            '"status":{"askedAt":"TIME"}}',
            "A body is large once more than 1 MiB of it has arrived. This one is small, whatever it could have become.",
        ),
    },
    "development mode": {
        **{
            f"HEAD {path} of localhost:8080": Difference(NO_PATH, "The pages went: the log of calls is what helps.")
            for path in ("/", "/docs")
        },
        "POST /none of localhost:8080": Difference(
            NO_PATH + ' {"error": "no such path: the paths are /customize, /openapi.json, /sync", "id": "*"}',
            "The pages went.",
        ),
    },
    "myresource serve": {
        **{
            given: Difference(RECORD.format(re.split("[ =]", given)[0]), "It names the command that records now.")
            for given in (*OPTIONS, *VARIABLES)
        },
        **dict(_fixed_limits()),
    },
}
"""By client and name."""
