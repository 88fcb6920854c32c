"""The app of controllers, and their routes in an app of one's own."""

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

from metahook import Service, SyncRequest, SyncResponse
from metahook.clock import utc_now
from metahook.protocol.request_builder import customize_request, sync_request
from metahook.server import Limits, Metrics, ServerOptions, Telemetry, Tokens, create_app, hook_router
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, controller, customize_body, sync_body
from toolkit.hooks.tenant import TENANTS, tenant
from toolkit.root import ROOT
from toolkit.served.asgi import call
from toolkit.served.refusals import error
from toolkit.served.thread import asked, raw, serving_app
from toolkit.widgets import WIDGETS, grouped, widget

TINY_APP = create_app(TINY, clock=lambda: NOW)
APP = create_app(WIDGETS, clock=lambda: NOW)


def test_the_answer_to_sync_is_the_controllers_byte_for_byte() -> None:
    request = sync_request(widget(ports=[{"containerPort": 8080}]), grouped(), {})

    assert call(APP, "/sync", request).content == WIDGETS.handle_sync(request, NOW).body


def test_the_answer_to_customize_is_the_controllers_byte_for_byte() -> None:
    request = customize_request(widget(ports=[{"containerPort": 8080}]))

    assert call(APP, "/customize", request).content == WIDGETS.handle_customize(request).body


def test_without_a_clock_of_its_own_an_app_asks_the_one_there_is() -> None:
    before = utc_now()

    asked_at = json.loads(call(create_app(TINY), "/sync", sync_body()).content)["status"]["askedAt"]

    assert before.isoformat() <= asked_at <= utc_now().isoformat()
    assert asked_at.endswith("+00:00")


# Several controllers


BOTH = create_app({"/one": TINY, "/a/two": TINY, "/ends": TENANTS})


def test_the_document_has_the_hooks_of_all_controllers() -> None:
    paths = call(BOTH, "/openapi.json", method="GET").json()["paths"]

    assert {path: hook["post"]["operationId"] for path, hook in paths.items()} == {
        "/one/sync": "one-sync",
        "/one/customize": "one-customize",
        "/a/two/sync": "a-two-sync",
        "/a/two/customize": "a-two-customize",
        "/ends/sync": "ends-sync",
        "/ends/customize": "ends-customize",
        "/ends/finalize": "ends-finalize",
    }


def test_finalize_is_served_where_a_controller_has_it() -> None:
    last = sync_request(tenant(), {"Namespace.v1": {}, "ConfigMap.v1": {}}, {}, finalizing=True)

    assert call(BOTH, "/ends/finalize", last).json()["finalized"] is True
    assert call(BOTH, "/one/finalize", last).status_code == 404
    assert call(BOTH, "/ends/finalize", last.replace(b'"finalizing":true', b'"finalizing":false')).status_code == 400


@pytest.mark.parametrize("prefix", ["one", "/one/", "/", "/{one}", "/one two"])
def test_what_is_no_prefix_is_an_error_with_the_remedy(prefix: str) -> None:
    with pytest.raises(ValueError, match="write it as in /myresource"):
        create_app({prefix: TINY})


def test_the_log_names_the_kind_that_is_missing_in_the_controller(caplog: pytest.LogCaptureFixture) -> None:
    def looks_up(request: SyncRequest) -> SyncResponse:
        return SyncResponse(status={"found": request.children.get(Service, "hello") is not None})

    assert call(create_app(controller(looks_up)), "/sync", sync_body()).status_code == 500
    assert "add Service to children= of the Controller" in caplog.text


# Routes of one's own in the app


def test_routes_that_are_added_are_served_to_the_same_callers_and_other_paths_stay_a_constant_404(
    tmp_path: Path,
) -> None:
    token, page, router = tmp_path / "token", tmp_path / "page.js", APIRouter()
    token.write_text("t" * 32)
    page.write_text("1")
    router.add_api_route("/", lambda: HTMLResponse("<p>"), methods=["GET"])
    router.add_api_route("/try", lambda body: body, methods=["POST"])
    app = create_app(TINY, ServerOptions(tokens=Tokens(token)))
    app.include_router(router)
    app.mount("/files", StaticFiles(directory=tmp_path))

    @app.get("/items/{name}")
    def item(name: str) -> str:
        raise HTTPException(404 if name == "none" else 409, f"no item {len(name)}")

    with serving_app(app) as at:

        def answer(line: str, content: bytes = b"") -> tuple[int, bytes]:
            found = asked(at, raw(content, f"Authorization: Bearer {'t' * 32}", line=f"{line} HTTP/1.1"))
            return found.status, found.body

        assert answer("GET /") == (200, b"<p>")
        assert answer("GET /files/page.js") == (200, b"1")
        assert answer("POST /try?body=2") == (200, b'"2"')
        assert answer("GET /items/none") == (404, b'{"detail":"no item 4"}')
        assert answer("GET /items/busy") == (409, b'{"detail":"no item 4"}')
        assert answer("POST /sync", sync_body())[0] == 200
        for line in ("GET /canary", "GET /files/canary"):
            status, body = answer(line)
            assert (status, error(body)) == (404, "no such path: the paths are /customize, /openapi.json, /sync")
        assert error(answer("POST /")[1]) == "no such method for this path: use GET"
        assert asked(at, raw(b"", line="GET / HTTP/1.1")).status == 401


# The routes in another app: its dependencies, middleware and lifespan hold for them


def test_dependencies_middleware_and_other_routes_of_the_app_hold_for_the_hooks() -> None:
    allowed = list[str]()

    def check(request: Request) -> None:
        if request.url.path not in allowed:
            raise HTTPException(401)

    outer = APIRouter(dependencies=[Depends(check)])
    outer.include_router(hook_router(TINY))
    app = FastAPI()
    app.include_router(outer, prefix="/tiny")

    @app.middleware("http")
    async def mark(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        response.headers["x-marked"] = "yes"
        return response

    assert [call(app, f"/tiny/{hook}", sync_body()).status_code for hook in ("sync", "customize")] == [401, 401]
    allowed.append("/tiny/sync")
    synced = call(app, "/tiny/sync", sync_body())
    assert (synced.status_code, synced.headers["x-marked"]) == (200, "yes")
    assert call(app, "/tiny/customize", customize_body()).status_code == 401


def test_several_controllers_in_one_app_have_a_path_each_and_the_clock_of_the_app() -> None:
    app = FastAPI()
    app.include_router(hook_router({"/one": TINY, "/two": TINY}, clock=lambda: NOW))

    answers = [call(app, f"/{name}/sync", sync_body()) for name in ("one", "two")]
    assert [answer.json()["status"]["askedAt"] for answer in answers] == [NOW.isoformat()] * 2
    with pytest.raises(ValueError, match="write it as in /myresource"):
        hook_router({"one": TINY})


@pytest.mark.parametrize("prefixes", [("", "/two"), ("/one", "/two"), ("/one", "/two/{tenant}")])
def test_the_operations_of_two_routers_in_one_app_have_ids_of_their_own(prefixes: tuple[str, str]) -> None:
    app = FastAPI()
    for prefix in prefixes:
        app.include_router(hook_router(TINY), prefix=prefix)

    document = call(app, "/openapi.json", method="GET").json()
    ids = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]

    assert len(ids) == len(set(ids)) == 4


def test_the_limits_of_bodies_hold_in_any_app() -> None:
    app = FastAPI()
    app.include_router(hook_router(TINY, limits=Limits(max_body=10)))

    refused = call(app, "/sync", sync_body())

    assert (refused.status_code, refused.json()["error"]) == (413, "the request is too large")


@pytest.mark.parametrize(("prefix", "counted"), [("/tiny", "/tiny/sync"), ("/of/{tenant}", "/sync")])
def test_calls_are_counted_by_the_path_at_which_the_app_has_them_but_for_its_parameters(
    prefix: str, counted: str
) -> None:
    in_flight = list[str]()

    def look(_: SyncRequest) -> SyncResponse:
        in_flight.extend(line for line in metrics.text().decode().splitlines() if line.startswith("metahook_calls_in"))
        return SyncResponse({"a": 1})

    metrics = Metrics(["/tiny/sync", "/sync"], ServerOptions())
    app = FastAPI()
    app.include_router(hook_router(controller(look), telemetry=Telemetry(metrics=metrics)), prefix=prefix)

    assert call(app, prefix.format(tenant="canary") + "/sync", sync_body()).status_code == 200

    assert in_flight == ["metahook_calls_in_flight 1.0"]
    assert f'metahook_calls_total{{code="200",hook="{counted}"}} 1.0' in metrics.text().decode()


def test_an_exception_of_a_hook_reaches_no_handler_of_the_app(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: SyncRequest) -> SyncResponse:
        message = "a value of a user"
        raise KeyError(message)

    app = FastAPI()
    app.add_exception_handler(KeyError, lambda _, __: Response(status_code=418))
    app.include_router(hook_router(controller(fails)))

    assert call(app, "/sync", sync_body()).status_code == 500
    assert "KeyError at " in caplog.text
    assert "a value of a user" not in caplog.text


@pytest.fixture(name="apps_of_the_page", scope="module")
def _apps_of_the_page() -> list[FastAPI]:
    """Return the apps of the page, in its order: one with the routes alone, one with metrics."""
    page = (ROOT / "docs/hook-reference.md").read_text()
    made: list[FastAPI] = []
    for lines in re.findall(r"```python\n((?:(?!```).)*?hook_router.*?)```", page, re.DOTALL):
        names: dict[str, FastAPI] = {}
        exec(lines, names)  # noqa: S102 - the page's own
        made.append(names["app"])
    return made


def test_each_app_of_the_page_serves_the_hook(apps_of_the_page: list[FastAPI]) -> None:
    assert [call(app, "/sync", sync_body()).status_code for app in apps_of_the_page] == [200, 200]


def test_the_metrics_of_the_page_count_the_calls_of_the_hook(apps_of_the_page: list[FastAPI]) -> None:
    call(apps_of_the_page[1], "/sync", sync_body())

    assert 'metahook_calls_total{code="200",hook="/sync"}' in call(apps_of_the_page[1], "/metrics", method="GET").text
