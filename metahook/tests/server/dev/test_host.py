"""The check of the host that a browser asks for, in development mode."""

from collections.abc import Mapping

import pytest

from metahook.server.app import ServerOptions, create_app
from metahook.server.dev.host import FOREIGN_HOST, is_local
from toolkit.hooks.minimal import TINY, customize_body, sync_body
from toolkit.served.asgi import JSON, call
from toolkit.served.refusals import refusal

DEV = create_app(TINY, ServerOptions(dev=True))
PLAIN = create_app(TINY)

FOREIGN = "evil.example:8080"
LOCAL = ["localhost", "localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "192.168.1.20", "[::1]:8080", "[::1]"]
BROWSERS: list[Mapping[str, str]] = [
    {"origin": f"http://{FOREIGN}"},
    {"origin": "null"},
    {"sec-fetch-site": "same-origin"},
]
REQUESTS = [
    ("POST", "/sync", sync_body()),
    ("POST", "/customize", customize_body()),
    ("GET", "/", b""),
    ("GET", "/docs", b""),
    ("GET", "/docs/start.js", b""),
    ("GET", "/openapi.json", b""),
]


@pytest.mark.parametrize("browser", BROWSERS, ids=["origin", "no origin to name", "fetch metadata"])
@pytest.mark.parametrize(("method", "path", "body"), REQUESTS, ids=[path for _, path, _ in REQUESTS])
def test_a_browser_that_asks_for_another_host_is_refused(
    browser: Mapping[str, str], method: str, path: str, body: bytes
) -> None:
    foreign, local = (
        call(DEV, path, body, method=method, headers={**JSON, **browser, "host": host})
        for host in (FOREIGN, "localhost:8080")
    )

    assert refusal(foreign) == (403, FOREIGN_HOST.message)
    assert local.status_code == 200


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS, ids=[path for _, path, _ in REQUESTS])
def test_metacontroller_and_curl_may_use_any_name(method: str, path: str, body: bytes) -> None:
    headers = {**JSON, "host": "my-hook.default.svc"}

    assert call(DEV, path, body, method=method, headers=headers).status_code == 200


def test_without_development_mode_the_host_is_not_checked() -> None:
    headers = {**JSON, "host": FOREIGN, "origin": f"http://{FOREIGN}"}

    assert call(PLAIN, "/sync", sync_body(), headers=headers).status_code == 200


@pytest.mark.parametrize("host", LOCAL)
def test_localhost_and_ip_addresses_are_local(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        ":8080",
        "evil.example",
        FOREIGN,
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil-localhost",
        "localhost:8080:80",
        "localhost@evil.example",
        "127.0.0.1:8080\n",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert not is_local(host)
