"""The routes of a controller in an app of one's own: its dependencies, middleware and lifespan hold for them."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

import pytest
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response

from metahook import SyncRequest, SyncResponse
from metahook.server import hook_router
from metahook.server.limits import Limits
from metahook.server.telemetry.metrics import Metrics
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.hooks.minimal import TINY, customize_body, sync_body
from toolkit.root import ROOT
from toolkit.served.asgi import call


def deny() -> None:
    """Refuse every caller, as a dependency that checks credentials does."""
    raise HTTPException(401)


def with_dependency_of_the_app() -> FastAPI:
    app = FastAPI(dependencies=[Depends(deny)])
    app.include_router(hook_router(TINY))
    return app


def with_dependency_of_the_inclusion() -> FastAPI:
    app = FastAPI()
    app.include_router(hook_router(TINY), dependencies=[Depends(deny)])
    return app


def with_dependency_of_a_route() -> FastAPI:
    """Include the router in another one, whose dependencies become those of each of its routes."""
    outer = APIRouter(dependencies=[Depends(deny)])
    outer.include_router(hook_router(TINY))
    app = FastAPI()
    app.include_router(outer)
    return app


@pytest.mark.parametrize(
    "protected", [with_dependency_of_the_app, with_dependency_of_the_inclusion, with_dependency_of_a_route]
)
@pytest.mark.parametrize("path", ["/sync", "/customize"])
def test_a_dependency_that_raises_401_is_never_skipped(path: str, protected: Callable[[], FastAPI]) -> None:
    assert call(protected(), path, sync_body()).status_code == 401


def test_without_that_dependency_the_same_calls_are_answered() -> None:
    app = FastAPI()
    app.include_router(hook_router(TINY))

    assert call(app, "/sync", sync_body()).status_code == 200
    assert call(app, "/customize", customize_body()).status_code == 200


def test_middleware_lifespan_and_other_routes_of_the_app_are_its_own() -> None:
    events = list[str]()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        events.append("started")
        yield
        events.append("stopped")

    app = FastAPI(lifespan=lifespan)
    app.include_router(hook_router(TINY), prefix="/tiny")

    @app.get("/version")
    async def version() -> dict[str, str]:
        return {"version": "1"}

    @app.middleware("http")
    async def mark(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        response.headers["x-marked"] = "yes"
        return response

    async def live() -> None:
        async with app.router.lifespan_context(app):
            events.append("lives")

    asyncio.run(live())
    synced = call(app, "/tiny/sync", sync_body())

    assert events == ["started", "lives", "stopped"]
    assert (synced.status_code, synced.headers["x-marked"]) == (200, "yes")
    assert call(app, "/version", method="GET").json() == {"version": "1"}
    assert "/tiny/sync" in call(app, "/openapi.json", method="GET").json()["paths"]


def test_several_controllers_in_one_app_have_a_path_each() -> None:
    app = FastAPI()
    app.include_router(hook_router({"/one": TINY, "/two": TINY}))

    assert [call(app, f"/{name}/sync", sync_body()).status_code for name in ("one", "two")] == [200, 200]
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


def test_calls_are_counted_by_the_path_at_which_the_app_has_them() -> None:
    metrics = Metrics(["/tiny/sync"], "1", Limits())
    app = FastAPI()
    app.include_router(hook_router(TINY, telemetry=Telemetry(metrics=metrics)), prefix="/tiny")

    call(app, "/tiny/sync", sync_body())

    assert 'metahook_calls_total{code="200",hook="/tiny/sync"} 1.0' in metrics.text().decode()


def fails(_: SyncRequest, __: datetime) -> SyncResponse:
    message = "a value of a user"
    raise KeyError(message)


@pytest.mark.parametrize("dev", [False, True])
def test_an_exception_of_a_hook_reaches_no_handler_and_its_text_only_the_log_of_development_mode(
    dev: bool,  # noqa: FBT001 - a column of the table
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = FastAPI()
    app.add_exception_handler(KeyError, lambda _, __: Response(status_code=418))
    app.include_router(hook_router(replace(TINY, sync=fails), dev=dev))

    assert call(app, "/sync", sync_body()).status_code == 500
    assert "KeyError at " in caplog.text
    assert ("a value of a user" in caplog.text, "Traceback" in caplog.text) == (dev, dev)


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
