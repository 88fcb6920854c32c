"""Fuzzes what reads requests and decides, guided by coverage, in ``make test-all``.

``python -m tests.fuzz.guided FOLDER... -runs=1000`` has the options of libFuzzer; inputs that find new code are added
to the first folder. It fails at the first input that is neither answered nor malformed.
"""

import sys
from functools import partial
from pathlib import Path

import atheris
import httpx

with atheris.instrument_imports(include=["app", "metahook"]):
    from app.core.controller import controller
    from app.core.watch import Watch
    from metahook import Controller, MalformedRequest

from tests.fuzz.mutation import mutated
from tests.invalid.response_checks import MALFORMED, complaints
from tests.requests.builders import NOW

CORPUS = Path(__file__).parent / "corpus"
HOOK = controller(Watch(pods=True, secrets=True))


class Found(Exception):
    """Raised for an input whose response is wrong."""


def check(hook: Controller, body: bytes) -> None:
    """Send *body* to both hooks of *hook*; raise Found, or what they raise, if it is neither answered nor malformed."""
    for handle in (partial(hook.handle_sync, now=NOW), hook.handle_customize):
        try:
            response = handle(body).body
        except MalformedRequest as error:
            wrong = [] if MALFORMED.fullmatch(str(error)) else ["a text of its own"]
        else:
            wrong = complaints(body, httpx.Response(200, content=response))
        if wrong:
            raise Found(wrong)


def mutate(body: bytes, most: int, seed: int) -> bytes:
    """Return another input of at most *most* bytes: every fourth by libFuzzer's own mutations of bytes."""
    changed = mutated(body, seed) if seed % 4 else None
    if changed is None or len(changed) > most:
        return bytes(atheris.Mutate(body, most))
    return changed


def main() -> None:
    """Fuzz until a limit of libFuzzer."""
    atheris.Setup(sys.argv, lambda body: check(HOOK, body), custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
