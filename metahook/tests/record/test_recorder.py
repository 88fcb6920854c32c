"""Recording: what is kept, what is not, and that it changes no response."""

import json
import logging
import os
import shutil
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from metahook import ConfigMap, Controller, SyncRequest, SyncResponse, __version__
from metahook.protocol.bodies import MIB
from metahook.protocol.request_builder import sync_request
from metahook.record import recorder as module
from metahook.record.proxy import Proxy
from metahook.record.recorder import CannotRecord, Folder, Recorder
from metahook.record.redaction import Redaction
from metahook.server.app import create_app
from toolkit.hooks.minimal import PARENT, TINY, customize_body, sync_body
from toolkit.hooks.service_per_object import SERVICES, stateful_set
from toolkit.hooks.tenant import TENANTS, tenant
from toolkit.served.asgi import JSON, call, post_all

Json = dict[str, Any]

CANARY = "canary-c9f0f895"
KIB = 1024
AT = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)


class InProcess(httpx.ASGITransport):
    """A hook in this process, which gets the target of a request."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Call the hook."""
        request.url = request.url.copy_with(raw_path=request.extensions["target"])
        return await super().handle_async_request(request)


def recording_app(folder: Path, *, most: int = MIB, controller: Controller = TINY) -> ASGIApp:
    """Return the proxy in front of a hook in this process."""
    hook = InProcess(create_app(controller, clock=lambda: AT))
    recorder = Recorder(folder, most, __version__, Redaction())
    return Proxy(httpx.URL("http://hook"), httpx.AsyncClient(transport=hook), recorder, clock=lambda: AT)


def kept(folder: Path) -> list[Json]:
    return [json.loads(file.read_text()) for file in sorted(folder.iterdir())]


def test_a_request_is_kept_with_its_answer_path_time_and_status(tmp_path: Path) -> None:
    app = recording_app(tmp_path)

    answer = call(app, "/sync", sync_body())
    rules = call(app, "/customize?rev=1", customize_body())

    first, second = kept(tmp_path)
    assert first == {
        "version": __version__,
        "path": "/sync",
        "time": "2026-01-31T12:00:00.250000+00:00",
        "status": 200,
        "redacted": True,
        "request": json.loads(sync_body().replace(b"good day", b"redacted-1")),
        "response": {**json.loads(answer.text.replace("good day", "redacted-1")), "status": {"askedAt": "redacted-2"}},
    }
    assert (second["path"], second["request"], second["response"]) == (
        "/customize",
        json.loads(customize_body().replace(b"good day", b"redacted-1")),
        rules.json(),
    )


def test_files_are_named_after_time_order_hook_and_parent(tmp_path: Path) -> None:
    post_all(recording_app(tmp_path), "/sync", [sync_body(), sync_body()])

    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "20260131T120000.250000Z-000001-sync-default-hello.json",
        "20260131T120000.250000Z-000002-sync-default-hello.json",
    ]


def test_a_cluster_scoped_parent_and_the_object_of_a_decorator_name_their_files(tmp_path: Path) -> None:
    last = sync_request(tenant(), {"Namespace.v1": {}, "ConfigMap.v1": {}}, {}, finalizing=True)
    decorated = sync_request(stateful_set(), {"Service.v1": {}}, {}, api="decorator")

    assert call(recording_app(tmp_path, controller=TENANTS), "/finalize", last).status_code == 200
    assert call(recording_app(tmp_path, controller=SERVICES), "/sync", decorated).status_code == 200

    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "20260131T120000.250000Z-000001-finalize-acme.json",
        "20260131T120000.250000Z-000001-sync-default-db.json",
    ]
    assert [one["response"].get("finalized") for one in kept(tmp_path)] == [True, None]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "x" * 250, "nul\0", "new\nline", "ü\N{WHALE}", "-rf", "..", "$(id)"]
)
def test_a_name_from_a_request_makes_no_other_path(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    parent = {**PARENT, "metadata": {**PARENT["metadata"], "name": name}}

    response = call(recording_app(folder), "/sync", sync_body(parent=parent))

    assert response.status_code == 200
    assert list(tmp_path.iterdir()) == [folder]
    (file,) = folder.iterdir()
    assert set(file.name) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
    assert file.name.startswith("20260131T120000.250000Z-000001-sync-default-")
    assert len(file.name) < 200


def test_the_folder_and_the_files_are_the_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "here"
    before = os.umask(0)
    try:
        call(recording_app(folder), "/sync", sync_body())
    finally:
        os.umask(before)

    (file,) = folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600


# What is left out


def secret(**fields: Any) -> Json:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": CANARY, "note": "stays"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s", "namespace": "default", "annotations": annotations},
        "type": "Opaque",
        "data": {"password": CANARY},
        "stringData": {"password": CANARY},
        **fields,
    }


@pytest.mark.parametrize("item", [secret(), secret(kind=None)], ids=["by its kind", "by its group"])
@pytest.mark.parametrize("place", ["related", "children"])
def test_the_content_of_a_secret_is_not_kept(place: str, item: Json, tmp_path: Path) -> None:
    groups = {"ConfigMap.v1": {}, "Secret.v1": {"default/s": item}}

    call(recording_app(tmp_path), "/sync", sync_body(**{place: groups}))

    (one,) = kept(tmp_path)
    left = one["request"][place]["Secret.v1"]["default/s"]
    assert CANARY not in json.dumps(one)
    assert left["metadata"].keys() == {"name", "namespace", "annotations"}
    assert left["metadata"]["annotations"].keys() == item["metadata"]["annotations"].keys()
    assert left["data"]["password"].startswith("redacted-")


def test_managed_fields_are_not_kept(tmp_path: Path) -> None:
    entry = {"managedFields": [{"manager": CANARY}]}
    parent = {**PARENT, "metadata": {**PARENT["metadata"], **entry}}
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default", **entry}}
    groups = {"ConfigMap.v1": {"default/c": child}}

    body = sync_body(parent=parent, children=groups, related=groups, controller={"metadata": entry})
    call(recording_app(tmp_path), "/sync", body)

    (one,) = kept(tmp_path)
    assert CANARY in body.decode()
    assert CANARY not in json.dumps(one)
    assert "managedFields" not in json.dumps(one)
    assert one["request"]["children"]["ConfigMap.v1"]["default/c"]["metadata"]["name"] == "c"


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        pytest.param("/sync", b"{}", JSON, id="malformed"),
        pytest.param("/sync", b"no JSON", JSON, id="no JSON"),
        pytest.param("/sync", customize_body(), JSON, id="not a sync request"),
        pytest.param("/sync", sync_body(), {"content-type": "text/plain"}, id="another type"),
        pytest.param("/other", sync_body(), JSON, id="no hook"),
    ],
)
def test_what_is_not_a_hook_request_is_not_kept(path: str, body: bytes, headers: Json, tmp_path: Path) -> None:
    assert call(recording_app(tmp_path), path, body, headers=headers).status_code >= 400
    assert kept(tmp_path) == []


def failing(_: SyncRequest, __: datetime) -> SyncResponse:
    raise KeyError


def test_a_request_at_which_the_hook_failed_is_kept(tmp_path: Path) -> None:
    app = recording_app(tmp_path, controller=Controller(sync=failing, children=(ConfigMap,)))

    assert call(app, "/sync", sync_body()).status_code == 500
    assert [(one["status"], one["request"]) for one in kept(tmp_path)] == [
        (500, json.loads(sync_body().replace(b"good day", b"redacted-1")))
    ]


# How much


def on_disk(folder: Path) -> int:
    """Return the bytes that *folder* takes on the disk, as du counts them."""
    counted = subprocess.run(["du", "-s", "-B1", str(folder)], capture_output=True, text=True, check=True)  # noqa: S607 - as in a shell
    return int(counted.stdout.split()[0])


def test_recording_stops_when_the_folder_holds_its_limit_and_answers_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = recording_app(tmp_path, most=48 * KIB)

    answers = post_all(app, "/sync", [sync_body(later=CANARY)] * 9)

    assert {answer.status_code for answer in answers} == {200}
    assert 0 < len(kept(tmp_path)) < 9
    assert on_disk(tmp_path) <= 48 * KIB
    errors = [record.message for record in caplog.records if record.levelno == logging.ERROR]
    remedy = "empty the directory and start again to continue"
    assert errors == [f"the directory is at its limit, so recording has stopped; {remedy} (logged only once)"]
    assert CANARY not in caplog.text


def test_the_limit_holds_over_restarts_and_for_other_files(tmp_path: Path) -> None:
    (tmp_path / "within").mkdir()
    (tmp_path / "within" / ".left over").write_bytes(b"x" * 8 * KIB)
    for _ in range(9):
        call(recording_app(tmp_path, most=48 * KIB), "/sync", sync_body())

    assert 12 * KIB < on_disk(tmp_path) <= 48 * KIB
    assert 1 < len(list(tmp_path.iterdir())) < 7


def test_after_the_limit_no_smaller_request_slips_in(tmp_path: Path) -> None:
    app = recording_app(tmp_path, most=48 * KIB)

    post_all(app, "/sync", [sync_body(later=list(range(16 * KIB))), sync_body()])

    assert kept(tmp_path) == []


def test_what_waits_to_be_written_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 10)

    assert call(recording_app(tmp_path), "/sync", sync_body()).status_code == 200
    assert kept(tmp_path) == []
    assert "writing is too slow" in caplog.text


def test_requests_wait_for_memory_up_to_its_limit_and_not_one_byte_more(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, MIB, __version__, Redaction())

    assert [recorder.reserve(size) for size in (module.MOST_WAITING - 1, 2, 1, 1)] == [True, False, True, False]


# When it can't be written


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device", CANARY), "no space left on device"),
        (OSError(30, "Read-only file system", CANARY), "read-only file system"),
        (RecursionError(CANARY), "RecursionError"),
    ],
    ids=["disk full", "read-only", "bug"],
)
def test_a_write_that_fails_is_said_once_and_harms_no_answer(
    error: Exception, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise error

    app = recording_app(tmp_path)
    monkeypatch.setattr(Folder, "save", fail)

    answers = post_all(app, "/sync", [sync_body(later=CANARY)] * 3)

    assert [answer.content for answer in answers] == [
        call(create_app(TINY, clock=lambda: AT), "/sync", sync_body()).content
    ] * 3
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        f"a request could not be recorded: {words} (logged only once)"
    ]
    assert CANARY not in caplog.text


def test_a_file_that_can_be_written_only_in_part_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    app = recording_app(tmp_path)
    monkeypatch.setattr("metahook.record.recorder.os.rename", fail)

    call(app, "/sync", sync_body())

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_made_again", [False, True], ids=["gone", "made again"])
def test_recording_goes_on_in_a_folder_that_was_removed(tmp_path: Path, *, is_made_again: bool) -> None:
    folder = tmp_path / "recordings"
    app = recording_app(folder)
    call(app, "/sync", sync_body())

    shutil.rmtree(folder)
    if is_made_again:
        folder.mkdir()

    answers = post_all(app, "/sync", [sync_body()] * 2)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(kept(folder)) == 2
    assert folder.stat().st_mode & 0o022 == 0


def test_a_folder_that_can_not_be_made_again_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "recordings"
    app = recording_app(folder)
    folder.rmdir()
    folder.write_text("no folder")

    answers = post_all(app, "/sync", [sync_body()] * 2)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert caplog.text.count(f"can't record in {folder}: file exists") == 1


def test_the_answer_is_sent_before_the_request_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    threads: set[int] = set()

    def save(*_: object) -> None:
        order.append("written")
        threads.add(threading.get_ident())

    app = recording_app(tmp_path)
    monkeypatch.setattr(Folder, "save", save)

    async def watched(scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            await send(message)
            if not message.get("more_body", True) or message["type"] == "http.response.body":
                order.append("sent")

        await app(scope, receive, sent)

    call(watched, "/sync", sync_body())

    assert order == ["sent", "written"]
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("wrong", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_is_said_at_once(wrong: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(CannotRecord, match=r"can't record in .*: (file exists|not a directory)"):
        Recorder(tmp_path / wrong, MIB, "0", Redaction())
