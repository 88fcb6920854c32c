"""The status of a MyResource in words: Ready's reason and message, and what to do, with its name in the commands."""

from collections.abc import Iterable, Iterator

from app import Json
from app.cli.plugin.tree import is_stale, is_true, ready_condition
from app.cli.wrapping import COMMAND, Row, page
from app.core.reasons import BUILDING, NOT_APPLIED, REASONS, Outlook
from metahook.commands import printable

_NO_STATUS = "The operator has not written a status yet, or does not run."
_WAIT = (
    "Wait half a minute. If there is still no status, ask the cluster administrator to check the operator. To read the "
    "events: kubectl describe myresource NAME"
)


def explanation(parent: Json, error: str = "") -> str:
    """Return the explanation of the status of *parent*, with the *error* of its last sync, if that may tell why."""
    errors = [("Error", error)] if error else []
    where = f"MyResource {parent['metadata']['name']} in namespace {parent['metadata']['namespace']}"
    ready = ready_condition(parent)
    if ready is None:
        return page(f"{where} has no status yet", [*errors, ("Why", _NO_STATUS), ("What to do", filled(_WAIT, parent))])
    rows = [
        ("Reason", ready["reason"]),
        ("Message", printable(ready["message"])),
        ("Since", ready["lastTransitionTime"]),
    ]
    return "\n\n".join(
        [
            page(
                f"{where}: {_outlook(parent, ready)}",
                [*_stale_note(parent), *rows, *errors, *_advice(ready["reason"], parent)],
            ),
            *map(_other, _news(parent["status"]["conditions"])),
        ]
    )


def may_be_rejected(parent: Json) -> bool:
    """Return whether a child of *parent* is not as the spec asks, so that the error of its last sync may tell why."""
    ready = ready_condition(parent)
    return ready is None or is_stale(parent) or ready["reason"] in {NOT_APPLIED.name, BUILDING.name}


def filled(text: str, parent: Json) -> str:
    """Return *text* with the name and the namespace of *parent* in each command."""
    metadata = parent["metadata"]

    def fill(command: str) -> str:
        named = command.replace("NAME", metadata["name"])
        is_local = not named.startswith("kubectl") or " -n " in named
        return named if is_local else f"{named} -n {metadata['namespace']}"

    return COMMAND.sub(lambda match: fill(match[0]), text)


def _outlook(parent: Json, ready: Json) -> str:
    """Return whether to wait or to act, as ``myresource explain`` prints it."""
    if is_true(parent, "Stalled"):
        return Outlook.STALLED.value
    if is_true(parent, "Reconciling"):
        return Outlook.RECONCILING.value
    return f"Ready is {ready['status']}"


def _stale_note(parent: Json) -> list[Row]:
    if not is_stale(parent):
        return []
    return [("Note", "This status is about the previous spec. The operator has not observed the current one yet.")]


def _advice(reason: str, parent: Json) -> Iterator[Row]:
    """Yield the cause and the remedy, if this version of the plugin knows the *reason*."""
    if known := REASONS.get(reason):
        yield "Why", known.cause
        yield "What to do", filled(known.remedy, parent)


def _news(conditions: list[Json]) -> Iterator[Json]:
    """Yield those of *conditions* that tell what the reason of Ready need not tell."""
    from app.core.status.conditions import CONDITIONS  # noqa: PLC0415 - slow to import, and a completion does without

    types = {each.TYPE.name: each.TYPE for each in CONDITIONS}
    for condition in conditions:
        if (known := types.get(condition["type"])) and known.is_news(condition["status"]):
            yield condition


def _other(condition: Json) -> str:
    title = f"{condition['type']} is {condition['status']}"
    return page(title, [("Reason", condition["reason"]), ("Message", printable(condition["message"]))])


_ERROR = "SyncError"
"""The reason of Metacontroller's Events about a sync that failed."""


def last_error(parent: Json, events: Iterable[Json]) -> str:
    """Return the message and the time of the newest error of a sync of *parent* among *events*; empty without one.

    Metacontroller puts there what the API server answers when it rejects a child. The status can't have it.
    """
    uid = parent["metadata"]["uid"]
    errors = [each for each in events if each.get("reason") == _ERROR and each["involvedObject"].get("uid") == uid]
    newest = max(errors, key=_order, default=None)
    return f"{printable(_message(newest))} (last seen {_time(newest)})" if newest else ""


def _message(event: Json) -> str:
    return " ".join((event.get("message") or "").split())


def _order(event: Json) -> tuple[str, int, str]:
    """Return the sort key: the time, and in one second the resourceVersion, a number of increasing length."""
    version = event["metadata"]["resourceVersion"]
    return _time(event), len(version), version


def _time(event: Json) -> str:
    """Return when the Event was last seen, to the second. Newer clients of the API set only eventTime and series."""
    times = (
        _series(event).get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        event["metadata"].get("creationTimestamp"),
    )
    return f"{next(filter(None, times), '')[:19]}Z"


def _series(event: Json) -> Json:
    return event.get("series") or {}
