"""The health check for Argo CD, for all statuses that the hook writes."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import pytest
from lupa import lua51

from app.api.spec import MyResourceSpec
from metahook.clock import utc_now
from tests.health.argo_cd import actions, check, health, run
from tests.health.statuses import current, is_current, is_true, message, myresources

CHECK = check()
TIME = "%Y-%m-%dT%H:%M:%SZ"
NOT_WRITTEN = "The operator has not written a status yet."
NOT_OBSERVED = "The operator has not observed the current spec yet."


def problems(script: str) -> Iterator[str]:
    """Yield where *script* differs from Ready, Stalled and the state Suspended, or has another message than Ready."""
    for item in myresources():
        status = "Healthy" if is_true(item, "Ready") else "Degraded" if is_true(item, "Stalled") else "Progressing"
        told = NOT_OBSERVED if item.get("status") else NOT_WRITTEN
        if is_current(item):
            status = "Suspended" if item["status"]["state"] == "Suspended" else status
            told = message(item)
        if (found := health(script, item)) != (status, told):
            yield f"{found} instead of {status}, {told}: {item.get('status')}"


def test_healthy_is_ready_degraded_is_stalled_suspended_is_so_and_the_rest_is_progressing() -> None:
    assert list(problems(CHECK)) == []
    assert {health(CHECK, item).status for item in myresources()} == {"Healthy", "Degraded", "Suspended", "Progressing"}
    assert len(myresources()) > 200


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("status.observedGeneration ~= obj.metadata.generation", "false"),
        ('is_true("Ready")', 'status.state == "Ready" or status.state == "Degraded"'),
        ("status == nil or", "status ~= nil and"),
    ],
)
def test_a_check_with_a_mistake_is_found(text: str, other: str) -> None:
    assert text in CHECK
    with suppress(lua51.LuaError):  # an error is found too
        assert next(problems(CHECK.replace(text, other)), None)


def test_a_script_that_needs_a_library_that_argo_cd_does_not_open_fails() -> None:
    for library in ("string.len('x')", "math.abs(1)", "os.time()", "io.read()", "debug.traceback()"):
        with pytest.raises(lua51.LuaError, match="attempt to index"):
            run(f"local x = {library}; return {{}}", {})


def test_the_action_restarts_as_kubectl_patch_does() -> None:
    item = current("Available")
    (restart,) = actions()["definitions"]

    # Lua's clock is that of the kernel's last tick, so it may still show the second before.
    before, changed, after = utc_now() - timedelta(seconds=1), run(restart["action.lua"], item), utc_now()

    restarted_at = changed["spec"].pop("restartedAt")
    assert changed["spec"] == item["spec"]
    assert f"{before:{TIME}}" <= restarted_at <= f"{after:{TIME}}"
    assert MyResourceSpec.model_validate({**item["spec"], "restartedAt": restarted_at}).restarted_at
    assert list(run(actions()["discovery.lua"], item)) == [restart["name"]]
