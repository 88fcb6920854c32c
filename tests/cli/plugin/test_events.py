from app.cli.plugin.explanation import last_error
from tests.cli.plugin.recorded import MYRESOURCE, Json


def event(kind: str, name: str, uid: str = "", **more: object) -> Json:
    metadata = {"name": f"{name}.1", "resourceVersion": "1", "creationTimestamp": "2026-01-31T12:00:00Z"}
    involved = {"kind": kind, "name": name, "uid": uid}
    return {"metadata": metadata, "involvedObject": involved, "series": None, **more}


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


def test_events_of_one_second_are_in_the_order_of_their_versions() -> None:
    uid = MYRESOURCE["metadata"]["uid"]
    events = [event("MyResource", "web", uid, reason="SyncError", message=version) for version in ("9", "10")]
    for each in events:
        each["metadata"]["resourceVersion"] = each["message"]

    assert last_error(MYRESOURCE, events).startswith("10 ")
