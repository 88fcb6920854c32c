"""A hook that is served elsewhere: another version's, to be asked the same."""

from types import TracebackType
from typing import Self

import httpx

from app.cli.answers import FAILED, MALFORMED, OK, Answer, NotAnAnswer, answer
from app.cli.errors import InputError
from app.cli.recordings import Recording

_SECONDS = 10
"""As long as Metacontroller waits."""


class Elsewhere:
    """The hook at a URL; use it in a with block."""

    def __init__(self, url: str) -> None:
        self._url = hook_url(url, "--against")
        self._client = httpx.Client(timeout=_SECONDS, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def answer(self, recording: Recording) -> Answer:
        """Return what the hook answers; raise InputError if there is none."""
        url = self._url.copy_with(path=f"{self._url.path.rstrip('/')}/{recording.hook}")
        try:
            said = self._client.post(url, content=recording.body, headers={"Content-Type": "application/json"})
            if said.status_code in (OK, MALFORMED, FAILED):
                return answer(recording.hook, said.status_code, said.json() if said.status_code == OK else None)
            problem = f"answers with {said.status_code}; give the URL of a hook, such as http://127.0.0.1:8080"
        except httpx.TimeoutException:
            problem = f"no answer within {_SECONDS} s; is the other version overloaded, or something else served there?"
        except httpx.HTTPError:
            problem = "can't be reached; serve the other version there, such as with: myresource serve"
        except (NotAnAnswer, ValueError, RecursionError):
            problem = "answers what no hook does; give the URL of a hook, such as http://127.0.0.1:8080"
        message = f"{_shown(url)}: {problem}"
        raise InputError(message)


def hook_url(url: str, option: str) -> httpx.URL:
    """Return *url*, which *option* gave, without the hook's path; raise InputError if it is none."""
    try:
        found = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        found = httpx.URL("")
    if found.scheme not in ("http", "https") or not found.host:
        message = f"{option}: not a URL of a hook; write it as http://127.0.0.1:8080"
        raise InputError(message)
    path = found.path.rstrip("/")
    return found.copy_with(path=path.removesuffix("/sync").removesuffix("/customize") or "/")


def _shown(url: httpx.URL) -> str:
    """Return *url* without what may be secret in it."""
    return str(url.copy_with(username=None, password=None, query=None, fragment=None))
