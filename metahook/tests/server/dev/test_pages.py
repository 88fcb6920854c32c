"""The pages of development mode."""

import re
from pathlib import Path

import pytest
from fastapi import FastAPI

from metahook.server.app import ServerOptions, create_app
from metahook.server.dev.pages import add_pages
from metahook.server.dev.swagger_ui import MEDIA_TYPES, find_files
from toolkit.hooks.minimal import TINY
from toolkit.served.asgi import call
from toolkit.served.refusals import refusal

DEV = create_app(TINY, ServerOptions(dev=True), health_port=8081)
PLAIN = create_app(TINY)
PAGES = ["/", "/docs", "/docs/start.js", *(f"/docs/{name}" for name in MEDIA_TYPES)]

_LINK = re.compile(r'(?:href|src)="([^"]*)"')


def get(app: FastAPI, path: str) -> str:
    """Return the page at *path*."""
    response = call(app, path, method="GET")
    assert response.status_code == 200, path
    return response.text


def links(page: str) -> list[str]:
    return [f"/{link}" for link in _LINK.findall(page)]


def without_swagger_ui() -> FastAPI:
    app = FastAPI(title="Metacontroller hooks", docs_url=None, redoc_url=None)
    add_pages(app, ["/sync"], None, find_files("no_such_package"))
    return app


def test_the_first_page_says_what_is_where() -> None:
    page = get(DEV, "/")

    assert re.findall("<li>(.*)</li>", page) == [
        "POST /sync",
        "POST /customize",
        '<a href="docs">/docs</a>: call the hooks from this browser',
        '<a href="openapi.json">/openapi.json</a>: the OpenAPI document',
        "GET /livez and GET /readyz on port 8081: health",
    ]


def test_the_first_page_has_the_hooks_of_every_controller_and_no_health_that_is_not_served() -> None:
    page = get(create_app({"/one": TINY, "/two": TINY}, ServerOptions(dev=True)), "/")

    assert re.findall("<li>POST (.*)</li>", page) == ["/one/sync", "/one/customize", "/two/sync", "/two/customize"]
    assert "livez" not in page


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_every_link_of_a_page_is_served(path: str) -> None:
    page = get(DEV, path)

    assert len(links(page)) >= 2
    for link in links(page):
        get(DEV, link)


def test_swagger_ui_shows_the_document_of_the_hooks() -> None:
    assert links(get(DEV, "/docs")) == [
        "/docs/swagger-ui.css",
        "/docs/favicon-32x32.png",
        "/docs/swagger-ui-bundle.js",
        "/docs/start.js",
    ]
    assert 'url: "openapi.json"' in get(DEV, "/docs/start.js")
    assert call(DEV, "/docs/start.js", method="GET").headers["content-type"].startswith("text/javascript")
    assert "SwaggerUIBundle" in get(DEV, "/docs/swagger-ui-bundle.js")


def test_swagger_ui_is_new_enough_for_the_version_of_the_document() -> None:
    (version,) = re.findall(r'PACKAGE_VERSION:"(\d+)\.', get(DEV, "/docs/swagger-ui-bundle.js"))

    assert call(DEV, "/openapi.json", method="GET").json()["openapi"].startswith("3.1")
    assert int(version) >= 5


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_loads_nothing_from_other_servers(path: str) -> None:
    response = call(DEV, path, method="GET")
    policy = response.headers["content-security-policy"]

    assert "//" not in response.text
    assert dict(directive.strip().split(" ", 1) for directive in policy.split(";")) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@pytest.mark.parametrize("path", PAGES)
def test_the_browser_does_not_guess_the_type_of_a_file(path: str) -> None:
    assert call(DEV, path, method="GET").headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_the_title_is_text_and_no_markup(path: str) -> None:
    app = FastAPI(title="A & <b>", docs_url=None, redoc_url=None)
    add_pages(app, ["/sync"], None, find_files())

    page = get(app, path)

    assert "<title>A &amp; &lt;b&gt;</title>" in page
    assert "<b>" not in page


def test_the_example_of_a_link_to_another_server_would_be_found() -> None:
    assert links('<script src="https://cdn.example.com/x.js">') == ["/https://cdn.example.com/x.js"]
    assert call(DEV, "/https://cdn.example.com/x.js", method="GET").status_code == 404


def test_without_swagger_ui_the_page_says_what_to_install() -> None:
    app = without_swagger_ui()

    page = get(app, "/docs")

    assert "<code>pip install fastapi-swagger</code>" in page
    assert links(page) == ["/openapi.json"]
    assert call(app, "/docs/start.js", method="GET").status_code == 404


def test_a_package_that_lacks_a_file_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_of_it/resources").mkdir(parents=True)
    (tmp_path / "half_of_it/__init__.py").touch()
    for name in list(MEDIA_TYPES)[1:]:
        (tmp_path / "half_of_it/resources" / name).touch()
    monkeypatch.syspath_prepend(tmp_path)

    assert find_files("half_of_it") == {}

    (tmp_path / "half_of_it/resources" / next(iter(MEDIA_TYPES))).touch()
    assert find_files("half_of_it").keys() == MEDIA_TYPES.keys()


@pytest.mark.parametrize("path", PAGES)
def test_without_development_mode_there_are_no_pages(path: str) -> None:
    missing, refused = (call(PLAIN, each, method="GET") for each in (path, "/no/such/path"))

    assert (missing.status_code, missing.content) == (404, refused.content)
    assert get(DEV, path)


@pytest.mark.parametrize("path", ["/docs/", "/docs/other.js", "/docs/..%2f..%2fpyproject.toml", "/docs/a/b"])
def test_no_other_file_is_served(path: str) -> None:
    refused = call(DEV, "/no/such/path", method="GET")

    assert (call(DEV, path, method="GET").status_code, call(DEV, path, method="GET").content) == (404, refused.content)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_page_is_only_read(method: str) -> None:
    response = call(DEV, "/docs", method=method)

    assert response.headers["allow"] == "GET, HEAD"
    assert refusal(response) == (405, "no such method for this path: use GET or HEAD")


def test_the_paths_that_a_refusal_lists_are_those_of_the_pages_without_their_files() -> None:
    message = "no such path: the paths are /, /customize, /docs, /openapi.json, /sync"

    assert refusal(call(DEV, "/no/such/path")) == (404, message)


def test_a_page_can_be_loaded_again() -> None:
    assert get(DEV, "/docs/swagger-ui.css") == get(DEV, "/docs/swagger-ui.css")
