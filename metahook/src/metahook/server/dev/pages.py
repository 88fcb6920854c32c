"""The pages of development mode: ``/`` says what is where, and ``/docs`` is Swagger UI.

They load nothing from other servers, and have no content of a request.
"""

from collections.abc import Collection, Mapping
from html import escape
from pathlib import Path

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from metahook.server.dev.swagger_ui import MEDIA_TYPES

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
}
"""With these, the browser stops a later version of Swagger UI that loads something from another server."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{head}</head>
<body>
{body}</body>
</html>
"""

_SWAGGER_HEAD = """<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
"""
_SWAGGER_BODY = """<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
"""
_START = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  tryItOutEnabled: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
"""

_NOT_INSTALLED = """<h1>Swagger UI is not installed</h1>
<p>Install it into the environment of this hook, and restart the hook: <code>pip install fastapi-swagger</code></p>
<p>The hooks are described in <a href="openapi.json">/openapi.json</a>.</p>
"""


def add_pages(app: FastAPI, paths: Collection[str], health_port: int | None, files: Mapping[str, Path]) -> None:
    """Add ``/`` and ``/docs`` to *app*, which has hooks at *paths*; *files* are those of Swagger UI, or none."""
    index, docs = index_page(app.title, paths, health_port), docs_page(app.title, is_installed=bool(files))
    _add(app, "/", {"": HTMLResponse(index, headers=_HEADERS)})
    _add(app, "/docs", {"": HTMLResponse(docs, headers=_HEADERS)})
    if files:
        loaded = {name: _file(file.read_bytes(), MEDIA_TYPES[name]) for name, file in files.items()}
        _add(app, "/docs/{name}", {"start.js": _file(_START.encode(), "text/javascript"), **loaded})


def _file(content: bytes, media_type: str) -> Response:
    return Response(content, headers=_HEADERS, media_type=media_type)


def _add(app: FastAPI, path: str, responses: Mapping[str, Response]) -> None:
    """Add *path* with constant *responses*, by the name in the path."""

    async def respond(request: Request) -> Response:
        name = request.path_params.get("name", "")
        if name not in responses:
            raise HTTPException(404)
        return responses[name]

    app.add_route(path, respond, methods=["GET"])


def index_page(title: str, paths: Collection[str], health_port: int | None) -> str:
    """Return the page that says what is where; without a *health_port* there is no health."""
    items = [
        *(f"POST {escape(path)}" for path in paths),
        '<a href="docs">/docs</a>: call the hooks from this browser',
        '<a href="openapi.json">/openapi.json</a>: the OpenAPI document',
        *([f"GET /livez and GET /readyz on port {health_port}: health"] if health_port is not None else []),
    ]
    listed = "".join(f"<li>{item}</li>\n" for item in items)
    heading, note = f"<h1>{escape(title)}</h1>", "<p>Development mode: the log of the server shows each call.</p>"
    return _PAGE.format(title=escape(title), head="", body=f"{heading}\n<ul>\n{listed}</ul>\n{note}\n")


def docs_page(title: str, *, is_installed: bool) -> str:
    """Return the page of Swagger UI; if it is not installed, the page says how to install it."""
    head, body = (_SWAGGER_HEAD, _SWAGGER_BODY) if is_installed else ("", _NOT_INSTALLED)
    return _PAGE.format(title=escape(title), head=head, body=body)
