"""What the Pods show to be wrong in the statuses of a namespace: the judge of the simulator, for a real API server."""

from datetime import UTC, datetime, timedelta

from metahook.simulator.objects import Json, Key
from tests.e2e.record import Record, Version
from tests.e2e.truth import RACE
from tests.plans.availability import KINDS
from tests.plans.judge import Judge


def judged(record: Record, namespace: str, exchanges: list[Json]) -> Judge:
    """Return the judge of all that happened in *namespace*, which has one MyResource, with these *exchanges*."""
    judge = Judge(timedelta(seconds=RACE))
    for key, before, after in _changes(record, namespace):
        now, is_gone = datetime.fromtimestamp(after.at, UTC), after.deleted
        if key.kind == "MyResource" and not is_gone and (sync := _cause(exchanges, after)):
            judge.synced(key, sync["request"], sync["response"], now)
        judge.stored(key, before, None if is_gone else after.item, now)
    return judge


def _changes(record: Record, namespace: str) -> list[tuple[Key, Json | None, Version]]:
    """Return each change in its order: the object, as it was, and as it is."""
    found: list[tuple[Key, Json | None, Version]] = []
    for kind in ("MyResource", *KINDS):
        for key, versions in record.everything(kind, namespace).items():
            before = [None, *(None if version.deleted else version.item for version in versions)]
            found += [(key, old, new) for old, new in zip(before, versions, strict=False)]
    return sorted(found, key=lambda change: change[2].number)


def _cause(exchanges: list[Json], parent: Version) -> Json | None:
    """Return the last sync whose response is the status of *parent*, or None."""
    status = {name: value for name, value in parent.item.get("status", {}).items() if name != "observedGeneration"}
    end = datetime.fromtimestamp(parent.at, UTC)
    causes = [
        each
        for each in exchanges
        if each["path"].startswith("/sync")
        and datetime.fromisoformat(each["time"]) <= end
        and each["response"].get("status") == status
    ]
    return causes[-1] if causes else None
