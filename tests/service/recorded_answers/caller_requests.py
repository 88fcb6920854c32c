"""Requests to ports and hooks that not everyone may call: health, and tokens."""

from tests.service.recorded_answers.exchange import Exchange
from tests.service.recorded_answers.request import JSON, MIB, asking, named, raw
from toolkit.hostile import BODY

TOKEN = "3c469e9d6c5875d37a43f353d4f88e61"  # noqa: S105 - of a server that the tests start

HEALTH = named(
    {
        f"{method} {path}": raw(f"{method} {path} HTTP/1.1", "Connection: close")
        for method in ("GET", "HEAD", "POST")
        for path in ("/livez", "/readyz", "/", "/livez/", "/sync")
    }
    | {"HEAD /metrics": raw("HEAD /metrics HTTP/1.1"), "garbage": b"canary\r\n\r\n"}
)


# Who may call


def _with_token(*values: str, body: bytes = BODY) -> bytes:
    return raw("POST /sync HTTP/1.1", JSON, *(f"Authorization: {value}" for value in values), body=body)


TOKENS = {
    **named(
        {
            "a valid token": _with_token(f"Bearer {TOKEN}"),
            "another case of the scheme": _with_token(f"bEARER {TOKEN}"),
            "no header": _with_token(),
            "an empty header": _with_token(""),
            "the token alone": _with_token(TOKEN),
            "no token": _with_token("Bearer"),
            "another token": _with_token(f"Bearer {TOKEN[::-1]}"),
            "the start of a token": _with_token(f"Bearer {TOKEN[:-1]}"),
            "more than a token": _with_token(f"Bearer {TOKEN}0"),
            "another case": _with_token(f"Bearer {TOKEN.upper()}"),
            "two spaces": _with_token(f"Bearer  {TOKEN}"),
            "a tab": _with_token(f"Bearer\t{TOKEN}"),
            "two tokens": _with_token(f"Bearer {TOKEN},{TOKEN}"),
            "another scheme": _with_token(f"Basic {TOKEN}"),
            "two headers": _with_token(f"Bearer {TOKEN}", f"Bearer {TOKEN}"),
            "a valid header and another": _with_token(f"Bearer {TOKEN}", "Basic eA=="),
            "a long token": _with_token("Bearer " + "a" * 30_000),
            "no ASCII": _with_token(f"Bearer {TOKEN}\xff\xc3\xa9"),
            "too large without a token": raw(body=b" " * (MIB + 1)),
            "too large with a token": _with_token(f"Bearer {TOKEN}", body=b" " * (MIB + 1)),
        }
    ),
    "asks before it sends a body": Exchange((asking("/sync", 9), b"123456789")),
    "a request after 401": Exchange((_with_token(), _with_token(f"Bearer {TOKEN}"))),
}
