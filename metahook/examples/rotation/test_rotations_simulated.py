"""The rotation hook in the simulator, on its virtual clock: when it is called, what it writes, and what it does not."""

import base64
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
import yaml
from msgspec.structs import replace
from rotations import rotations

from metahook import Controller, SyncResponse
from metahook.simulator import MODES, Key, Mode, NeverQuiet, Settings, World

HERE = Path(__file__).parent
CRD, COMPOSITE = (yaml.safe_load((HERE / name).read_text()) for name in ("crd.yaml", "compositecontroller.yaml"))

KEY = b"a key for tests, of 32 bytes or more"
EVERY = 60
NOW = datetime(2026, 1, 31, tzinfo=UTC)
NEVER = 1e6
"""Seconds between Metacontroller's own resyncs: longer than a test, so that all calls are those asked for."""

TOKEN, SECRET = Key("RotatedSecret", "default", "token"), Key("Secret", "default", "token")

both_modes = pytest.mark.parametrize("mode", MODES)


def cluster(
    mode: Mode, controller: Controller | None = None, *, at: float = 0, every: int = EVERY, actions: int = 20_000
) -> World:
    """Return a world with a RotatedSecret that was created *at* so many seconds; it may take so many *actions*."""
    settings = replace(Settings.read(COMPOSITE, [CRD], mode), resync_period=NEVER)
    world = World(controller or rotations(KEY), settings)
    world.max_actions = actions
    world.run(at)
    metadata, spec = {"name": "token", "namespace": "default"}, {"everySeconds": every, "keep": 1}
    world.apply({"apiVersion": "example.com/v1", "kind": "RotatedSecret", "metadata": metadata, "spec": spec})
    world.run(5)
    return world


def values(world: World) -> dict[str, bytes]:
    data = world.get(SECRET)["data"]
    return {name: base64.b64decode(value) for name, value in data.items()}


def calls(world: World, since: float) -> list[float]:
    return [call.at for call in world.history.calls() if call.at >= since]


def seconds(moments: list[float]) -> set[int]:
    """Return in which seconds of a period the *moments* are."""
    return {int(moment) % EVERY for moment in moments}


def writes(world: World) -> list[float]:
    """Return when Metacontroller changed something."""
    return [write.at for write in world.history.writes("metacontroller") if write.changed]


@both_modes
def test_the_value_changes_at_each_moment_and_the_previous_one_stays_for_one_period(mode: Mode) -> None:
    world = cluster(mode)
    first = values(world)["current"]
    assert set(values(world)) == {"current"}

    world.run(EVERY)
    second = values(world)
    assert second == {"current": second["current"], "previous-1": first}
    assert second["current"] != first

    world.run(EVERY)
    assert values(world)["previous-1"] == second["current"]


@both_modes
def test_the_hook_is_called_and_writes_at_the_moments_only(mode: Mode) -> None:
    world = cluster(mode, at=17)

    world.run(100 * EVERY)

    # One call for the timer; the others are for the two writes that it causes: of the Secret, and of the status.
    since = calls(world, 30)
    assert seconds(since) == seconds(writes(world)) == {17}
    assert 100 <= len(since) <= 300


@both_modes
def test_calls_for_other_reasons_write_nothing_and_do_not_move_the_moments(mode: Mode) -> None:
    world = cluster(mode)
    for number in range(50):
        world.run(7)
        world.edit(TOKEN, lambda item, number=number: item["metadata"].update(annotations={"a": str(number)}))  # type: ignore[misc]

    assert seconds(writes(world)) == {0}


def moments_around_a_restart(mode: Mode, controller: Controller) -> set[int]:
    """Return the seconds of a period in which the hook is called, except for the calls of the restart itself."""
    world = cluster(mode, controller)
    world.run(100)
    world.metacontroller.restart(5)
    restarted = world.clock.now
    world.run(1000)
    return seconds([at for at in calls(world, 30) if not 0 < at - restarted < 10])


@both_modes
def test_after_a_restart_of_metacontroller_the_moments_are_the_same(mode: Mode) -> None:
    assert moments_around_a_restart(mode, rotations(KEY)) == {0}


@both_modes
def test_with_a_fixed_interval_instead_the_moments_would_move(mode: Mode) -> None:
    hook = changed(lambda response: replace(response, resync_after=EVERY))

    assert len(moments_around_a_restart(mode, hook)) > 1


def changed(change: Callable[[SyncResponse], SyncResponse]) -> Controller:
    """Return the hook with a mistake: *change* is made to its response."""
    hook = rotations(KEY)
    return replace(hook, sync=lambda request, now: change(hook.sync(request, now)))


@both_modes
def test_without_resync_after_nothing_is_rotated(mode: Mode) -> None:
    world = cluster(mode, changed(lambda response: replace(response, resync_after=None)))
    first = values(world)

    world.run(10 * EVERY)

    assert values(world) == first


@both_modes
def test_a_value_that_is_edited_comes_back(mode: Mode) -> None:
    world = cluster(mode)
    first = values(world)

    world.edit(SECRET, lambda secret: secret["data"].update(current="AAAA"))
    world.run(1)

    assert values(world) == first


@both_modes
def test_a_period_that_is_no_period_leaves_the_secret_unchanged(mode: Mode) -> None:
    world = cluster(mode)
    before = world.get(SECRET)

    world.edit(TOKEN, lambda item: item["spec"].update(everySeconds=0))
    world.run(10)

    assert world.get(SECRET) == before
    assert world.parent("token")["status"]["state"] == "InvalidSpec"


def test_a_request_without_the_time_of_creation_is_not_an_invalid_spec() -> None:
    hook = rotations(KEY)
    metadata = {"name": "token", "creationTimestamp": None}
    parent = {"apiVersion": "example.com/v1", "kind": "RotatedSecret", "metadata": metadata}

    response = hook.sync(hook.request({**parent, "spec": dict(hook.example_spec)}), NOW)

    assert (response.status, response.children) == ({"state": "Unknown"}, [])


def test_a_stale_request_gives_the_value_of_today() -> None:
    world = cluster("dynamic-apply")
    world.run(3 * EVERY)
    old = next(call for call in world.history.calls() if call.at > EVERY)

    assert answer(world, old.request) == answer(world, list(world.history.calls())[-1].request)


def test_a_clock_that_is_behind_the_creation_gives_the_first_value() -> None:
    world = cluster("dynamic-apply")
    first, *_ = world.history.calls()

    assert answer(world, first.request, ahead=-10) == answer(world, first.request)


def answer(world: World, request: bytes, ahead: float = 0) -> dict[str, str]:
    """Return the data of the Secret in the answer of a hook whose clock is *ahead* so many seconds."""
    hook, now = rotations(KEY), world.clock.time() + timedelta(seconds=ahead)
    response = hook.handle_sync(request, now).body
    found: dict[str, str] = msgspec.json.decode(response)["children"][0]["data"]
    return found


@both_modes
def test_two_replicas_whose_clocks_differ_do_not_undo_each_other(mode: Mode) -> None:
    assert len(rotated_by(mode, alternating(rotations(KEY)))) == len(rotated_by(mode, rotations(KEY)))


@both_modes
def test_without_the_record_on_the_secret_they_would(mode: Mode) -> None:
    hook = changed(without_record)

    assert len(rotated_by(mode, alternating(hook), periods=4)) > len(rotated_by(mode, hook, periods=4))


def without_record(response: SyncResponse) -> SyncResponse:
    """Remove the annotation that has the number of the period."""
    for child in response.children:
        del child["metadata"]["annotations"]
    return response


def rotated_by(mode: Mode, hook: Controller, periods: int = 10) -> list[float]:
    """Return when the Secret was written in so many *periods*."""
    world = cluster(mode, hook)
    world.run(periods * EVERY - 10)
    return [write.at for write in world.history.writes("metacontroller") if write.changed and write.key == SECRET]


@both_modes
def test_two_replicas_whose_clocks_differ_by_more_than_a_period_undo_each_other_without_end(mode: Mode) -> None:
    with pytest.raises(NeverQuiet):
        cluster(mode, alternating(rotations(KEY), ahead=2 * EVERY + 3), actions=1000)


def alternating(hook: Controller, ahead: int = 3) -> Controller:
    """Return *hook* as two replicas that answer in turn: the clock of the second one is *ahead* so many seconds."""
    clocks = itertools.cycle((timedelta(), timedelta(seconds=ahead)))
    return replace(hook, sync=lambda request, now: hook.sync(request, now + next(clocks)))


def test_a_longer_period_than_a_day_is_asked_for_day_by_day() -> None:
    world = cluster("dynamic-apply", every=7 * 86400)
    first = values(world)["current"]

    world.run(6.9 * 86400)
    assert values(world)["current"] == first

    world.run(0.1 * 86400)
    assert values(world)["previous-1"] == first


def test_a_key_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        rotations(b"short")


def test_another_key_or_another_parent_has_other_values() -> None:
    first = values(cluster("dynamic-apply"))
    other_key = values(cluster("dynamic-apply", rotations(KEY[::-1])))
    other_parent = cluster("dynamic-apply")
    other_parent.delete(TOKEN)
    other_parent.run(1)
    metadata, spec = {"name": "token", "namespace": "default"}, {"everySeconds": EVERY, "keep": 1}
    other_parent.apply({"apiVersion": "example.com/v1", "kind": "RotatedSecret", "metadata": metadata, "spec": spec})
    other_parent.run(1)

    assert len({first["current"], other_key["current"], values(other_parent)["current"]}) == 3


@both_modes
def test_under_dynamic_apply_an_annotation_of_the_secret_has_a_copy_of_its_values(mode: Mode) -> None:
    found = cluster(mode).get(SECRET)

    has_copy = found["data"]["current"] in str(found["metadata"].get("annotations"))
    assert has_copy == (mode == "dynamic-apply")
