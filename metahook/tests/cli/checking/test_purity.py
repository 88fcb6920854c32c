"""``metahook check --only purity``: a response depends on nothing but its request, and on the time with a resync."""

import time

import pytest

from metahook.cli.checking import other_process
from metahook.cli.checking.other_process import SEEDS
from toolkit.cli.sites import Mistake, add_hook, checked, mistake, write_hook
from toolkit.slow import only_whole

FROM_REQUEST = "; compute a response from its request alone  NotPure"
FROM_NOW = "; take the time from the argument now  NotPure"


HOUR, MINUTE = time.localtime()[3:5]
NEXT_DAY = "a day" if HOUR < 23 else "an hour" if MINUTE < 59 else "a minute"
"""The first of the check's steps that ends in another day."""


def impure(code: str, line: str) -> Mistake:
    return mistake(code, line, check="purity")


MISTAKES = {
    "a random value": impure(
        'made(child("a", id=str(uuid.uuid4())))',
        f"same request twice: children[0].data.id differs{FROM_REQUEST}",
    ),
    "a random name": impure(
        'made(child(f"a-{uuid.uuid4()}"))', f"same request twice: children[0].metadata.name differs{FROM_REQUEST}"
    ),
    "a set in another order": impure(
        """
        turns = itertools.cycle([1, -1])
        def sync(request, now):
            return made(child("a", names=" ".join(["b", "a"][::next(turns)])))
        """,
        f"same request twice: children[0].data.names differs{FROM_REQUEST}",
    ),
    "time without a resync": impure(
        """
        def sync(request, now):
            age = (now - datetime.fromisoformat(request.parent.created)).total_seconds()
            return made(state="Old" if age > 3000 else "New")
        """,
        "one hour later: status.state differs, and no resyncAfterSeconds asks for a sync by then, nor "
        "resyncPeriodSeconds  NeedsResync",
    ),
    "a mutable default": impure(
        """
        def sync(request, now, children=[]):
            children.append(child("a"))
            return made(*children[: len(children) % 2])
        """,
        f"same request twice: children differs{FROM_REQUEST}",
    ),
    "several random values": impure(
        'made(child("a", **{name: str(uuid.uuid4()) for name in "abcde"}))',
        "same request twice: children[0].data.a, children[0].data.b, children[0].data.c and 2 more differ"
        f"{FROM_REQUEST}",
    ),
    "a clock of its own that shows minutes": impure(
        'made(at=time.strftime("%H:%M"))',
        f"with the clock of its process a minute later: status.at differs{FROM_NOW}",
    ),
    "a clock of its own that shows days": impure(
        """
        from datetime import date
        def sync(request, now):
            return made(at=str(date.today()))
        """,
        f"with the clock of its process {NEXT_DAY} later: status.at differs{FROM_NOW}",
    ),
    "the time of a condition from a clock of its own": impure(
        """
        from datetime import UTC
        from metahook import set_condition
        def sync(request, now):
            old, now = request.parent.conditions, datetime.now(UTC).replace(microsecond=0)
            return SyncResponse(status={"conditions": set_condition(old, "Ok", "True", "Ok", now=now, generation=1)})
        """,
        f"with the clock of its process a minute later: status.conditions[0].lastTransitionTime differs{FROM_NOW}",
    ),
    "an import that works once": impure(
        """
        from pathlib import Path
        Path("lock").touch(exist_ok=False)
        def sync(request, now):
            return made()
        """,
        "can't be called in a second process, ",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_hook_is_one_line(mistake: Mistake) -> None:
    mistake.assert_found()


def test_the_order_of_a_set_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_process, "SEEDS", SEEDS)
    line = "same request in another process: status.state differs; sort what comes from a set, and use no hash()"

    impure('made(state=" ".join({"red", "blue"}))', f"{line}  NotPure").assert_found()


@only_whole
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_the_whole_check_finds_the_mistake_and_hardly_more(mistake: Mistake) -> None:
    mistake.assert_found_by_the_whole_check()


@pytest.mark.parametrize("names", ["plan", "state"])
def test_rules_that_depend_on_the_status_are_found(names: str) -> None:
    """Metacontroller calls customize once a generation, so it never sees the status."""
    add_hook("customize")
    write_hook(f"""
        from metahook import select_by_name
        def customize(request):
            parent = request.parent
            names = {{**(json.loads(parent.status) or {{}}), **json.loads(parent.spec)}}
            return [select_by_name(ConfigMap, parent.namespace, names.get("{names}", "none"))]
        def sync(request, now):
            return made()
    """)

    message = (
        "/customize  Site www: with a status: relatedResources[0].names[0] differs; decide the rules from the spec "
        "alone, as Metacontroller keeps them for 20 minutes  NotPure"
    )
    assert checked("--only", "purity")[1] == ([message] if names == "state" else [])
