from app.cli.plugin.events import last_error, related_events, text
from app.cli.plugin.tree import tree
from tests.cli.plugin.recorded import EVENTS, MYRESOURCE, OBJECTS, Json

TREE = tree(MYRESOURCE, OBJECTS)


def event(kind: str, name: str, uid: str = "", **more: object) -> Json:
    metadata = {"name": f"{name}.1", "resourceVersion": "1", "creationTimestamp": "2026-01-31T12:00:00Z"}
    involved = {"kind": kind, "name": name, "uid": uid}
    return {"metadata": metadata, "involvedObject": involved, "series": None, **more}


def test_events_are_sorted_by_the_time_when_they_were_last_seen() -> None:
    found = related_events(TREE, EVENTS)
    times = [line.split()[0] for line in text(found).splitlines()[1:]]

    assert len(found) == len(EVENTS) == 5
    assert times == sorted(times)
    assert found == related_events(TREE, EVENTS[::-1])


def test_events_of_other_objects_are_left_out() -> None:
    mine = event("MyResource", "web", MYRESOURCE["metadata"]["uid"])
    gone = event("Pod", "web-deployment-5f8b968b8b-gone")
    others = [event("Pod", "web-deployment-abc-1"), event("MyResource", "web", "earlier"), event("Service", "other")]

    assert related_events(TREE, [mine, gone, *others]) == [mine, gone]


def test_an_event_of_the_newer_api_has_its_time_in_its_series() -> None:
    series = {"count": 3, "lastObservedTime": "2026-01-31T13:00:00.123456Z"}
    newer = event(
        "Pod", "a", type="Warning", reason="Failed", message="it\nfailed", series=series,
        eventTime="2026-01-31T12:30:00.000000Z",
    )  # fmt: skip

    assert text([newer]).splitlines()[1].split(maxsplit=4) == [
        *("2026-01-31T13:00:00Z", "Warning", "Failed", "Pod/a", "it failed (3 times)")
    ]


def test_an_event_without_any_other_time_has_that_of_its_creation() -> None:
    assert text([event("Pod", "a")]).splitlines()[1].split() == ["2026-01-31T12:00:00Z", "Pod/a"]


def test_the_last_error_is_the_newest_of_a_sync_of_this_object() -> None:
    uid = MYRESOURCE["metadata"]["uid"]
    others = [
        event("MyResource", "web", uid, reason="SyncError", message="earlier"),
        event("MyResource", "web", uid, reason="Other", message="other", lastTimestamp="2027-01-31T12:00:00Z"),
        event("MyResource", "web", "earlier", reason="SyncError", message="b", lastTimestamp="2027-01-31T12:00:00Z"),
    ]
    newest = {"reason": "SyncError", "message": "Sync error:\nforbidden", "lastTimestamp": "2026-01-31T12:00:09Z"}

    assert last_error(MYRESOURCE, [event("MyResource", "web", uid, **newest), *others]) == (
        "Sync error: forbidden (last seen 2026-01-31T12:00:09Z)"
    )
    assert last_error(MYRESOURCE, others[1:]) == ""
