"""The hooks over HTTP: any controller is served, and that of Widgets is one."""

import json

import pytest

from metahook import Service, SyncRequest, SyncResponse
from metahook.protocol.request_builder import customize_request, sync_request
from metahook.server.app import create_app
from metahook.clock import utc_now
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, controller, customize_body, sync_body
from toolkit.hooks.tenant import TENANTS, tenant
from toolkit.served.asgi import call
from toolkit.widgets import WIDGETS, grouped, widget

TINY_APP = create_app(TINY, clock=lambda: NOW)
APP = create_app(WIDGETS, clock=lambda: NOW)


def test_the_answer_to_sync_is_the_controllers_byte_for_byte() -> None:
    request = sync_request(widget(ports=[{"containerPort": 8080}]), grouped(), {})

    assert call(APP, "/sync", request).content == WIDGETS.handle_sync(request, NOW).body


def test_the_answer_to_customize_is_the_controllers_byte_for_byte() -> None:
    request = customize_request(widget(ports=[{"containerPort": 8080}]))

    assert call(APP, "/customize", request).content == WIDGETS.handle_customize(request).body


@pytest.mark.parametrize(
    ("path", "body"), [("/sync", sync_body()), ("/customize", customize_body())], ids=["sync", "customize"]
)
def test_an_answer_says_how_long_it_is(path: str, body: bytes) -> None:
    response = call(TINY_APP, path, body)

    assert int(response.headers["content-length"]) == len(response.content) > 0


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
