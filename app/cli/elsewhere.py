"""A hook that is served elsewhere: another version's, to be asked the same."""

from types import TracebackType
from typing import Self

import httpx

from app.cli import hook_client
from app.cli.comparison.answers import FAILED, MALFORMED, OK, Answer, NotAnAnswer, answer
from app.cli.errors import InputError
from app.cli.files.recordings import Recording


class Elsewhere:
    """The hook at a URL; use it in a with block."""

    def __init__(self, url: str) -> None:
        self._client = hook_client.HookClient(url, "--against")

    def __enter__(self) -> Self:
        self._client.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.__exit__(kind, error, at)

    def answer(self, recording: Recording) -> Answer:
        """Return what the hook answers; raise InputError if there is none."""
        try:
            said = self._client.post(recording.hook, recording.body)
            if said.status_code in (OK, MALFORMED, FAILED):
                return answer(recording.hook, said.status_code, said.json() if said.status_code == OK else None)
            problem = f"answers with {said.status_code}; give the URL of a hook, such as http://127.0.0.1:8080"
        except TimeoutError:
            problem = (
                f"no answer within {hook_client.TIMEOUT:.0f} s; "
                "is the other version overloaded, or something else served there?"
            )
        except httpx.HTTPError:
            problem = "can't be reached; serve the other version there, such as with: myresource serve"
        except (NotAnAnswer, ValueError, RecursionError):
            problem = "answers what no hook does; give the URL of a hook, such as http://127.0.0.1:8080"
        message = f"{self._client.shown(recording.hook)}: {problem}"
        raise InputError(message)
