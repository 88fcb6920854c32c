"""``metahook check --only life``: a parent is created, edited and deleted in a simulated cluster."""

from pathlib import Path

import pytest

from toolkit.cli.sites import FIRST_LINE, Mistake, add_hook, checked, mistake, write_hook
from toolkit.slow import only_whole


def wrong(code: str, *lines: str, check: str = "life") -> Mistake:
    return mistake(code, *lines, check=check)


AGAIN = "written again and again, although nothing else changes: {} is another one each time  RepeatedWrites"

MISTAKES = {
    "status forgotten": wrong(
        "SyncResponse(children=[])",
        f"hook.py:{FIRST_LINE + 1}  Site www: TypeError: Missing required argument 'status'  Exception",
    ),
    "null in a child": wrong(
        'made(child("a", a=None))', "ConfigMap a: data.a is null: leave the field out  RefusedResponse"
    ),
    "one name twice": wrong(
        'made(child("a"), child("a"))',
        "two children ConfigMap.v1 a in namespace default: list each one once  RefusedResponse",
    ),
    "now in the status": wrong("made(at=now.isoformat())", AGAIN.format("status.at")),
    "core/v1": wrong(
        'made({**child("a"), "apiVersion": "core/v1"})',
        "ConfigMap a: its apiVersion is v1, not core/v1  RefusedResponse",
    ),
    "kind missing": wrong(
        'made({"apiVersion": "v1", "metadata": {"name": "a"}})', "a child a has no kind  RefusedResponse"
    ),
    "half a second": wrong(
        'SyncResponse({"state": "Made"}, resync_after=0.5)', "resync_after is 0.5: write whole seconds"
    ),
    "returns None": wrong(
        """
        def sync(request, now):
            made()
        """,
        "sync returned None: is a return missing?  RefusedResponse",
    ),
    "a field that the API server drops": wrong(
        'made(pod(imagePullPolice="Always"), ready="yes")',
        "/sync  status.ready is not in the CRD's schema, so the API server drops it; add it  PrunedStatus",
        "/sync  children[0] Pod www: spec.containers[0].imagePullPolice is not a field, so the API server drops it  "
        "UnknownField",
    ),
    "a status of another type": wrong(
        'made(count="3")',
        "/sync  status.count must be of type integer, as the CRD's schema says; the API server refuses the whole "
        "status  InvalidStatus",
    ),
    "a quantity that is stored otherwise": wrong(
        'made(pod(resources={"limits": {"memory": "1024Mi"}}))',
        '/sync  children[0] Pod www: spec.containers[main].resources.limits.memory "1024Mi" is stored as "1Gi": '
        "a write in every sync  StoredOtherwise",
    ),
    "only listed while it does not exist": wrong(
        'made(*[] if request.children.all(ConfigMap) else [child("a")])',
        "/sync  ConfigMap a: deleted, although the parent's spec did not change  WrongDelete",
    ),
    "a status from what was written last": wrong(
        'SyncResponse(status={"count": (json.loads(request.parent.status) or {}).get("count", 0) + 1})',
        AGAIN.format("status.count"),
    ),
    "remembered in the status alone": wrong(
        """
        def sync(request, now):
            found = "adopted" if request.children.all(ConfigMap) else "made"
            origin = (json.loads(request.parent.status) or {}).get("state", found)
            return made(child("a", origin=origin), state=origin)
        """,
        "/sync  ConfigMap a: another child after this fault than without it: data.origin differs  EndsDifferently",
        check="crash-0",
    ),
    "ready at once": wrong(
        'made(child("a", a="b"), state="Ready")',
        "Ready is True, although ConfigMap a does not exist  ReadyTooEarly",
    ),
    "a true field ready at once": wrong(
        'SyncResponse({"ready": True}, [child("a", a="b")])',
        "/sync  status.ready is not in",
        "Ready is True, although ConfigMap a does not exist",
    ),
    "a mount without a volume": wrong(
        'made(pod(volumeMounts=[{"name": "page", "mountPath": "/page"}]))',
        "/sync  Pod www: the API server keeps refusing it, and the status does not report that: Invalid: "
        "volumeMounts: name: Not found: page is no volume of the Pod",
    ),
    "a child that is refused, in each life": wrong(
        'made(child("A"))',
        "/sync  ConfigMap A: the API server keeps refusing it, and the status does not report that",
    ),
    "only a newer child each time": wrong(
        """
        def sync(request, now):
            last = max([int(each.metadata.name[1:]) for each in request.children.all(ConfigMap)], default=0)
            return made(child(f"a{last + 1}", a="b"))
        """,
        "/sync  ConfigMap a1: deleted, although the parent's spec did not change  WrongDelete",
        "/sync  ConfigMap a6: the hook creates more and more children  GrowingChildren",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_hook_is_one_line(mistake: Mistake) -> None:
    mistake.assert_found()


@only_whole
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_the_whole_check_finds_the_mistake_and_hardly_more(mistake: Mistake) -> None:
    mistake.assert_found_by_the_whole_check()


def test_a_status_that_follows_one_child_after_the_other_is_no_loop() -> None:
    write_hook("""
        def sync(request, now):
            count = len(request.children.all(ConfigMap))
            return made(*[child(f"a-{number}", a="b") for number in range(min(count + 1, 4))], count=count)
    """)

    assert checked("--only", "life") == (0, [])


FINALIZE = """
    from metahook import FinalizeResponse
    def finalize(request, now):
        return FinalizeResponse(status={{"state": "Going"}}, finalized={})
    def sync(request, now):
        return made({})
"""


def test_a_parent_that_is_never_finalized_is_found() -> None:
    add_hook("finalize")
    write_hook(FINALIZE.format("False", ""))

    _, found = checked("--only", "life")
    Path("other.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: other}\n")
    _, beside_others = checked("--only", "life", "-f", "other.yaml")

    message = "/finalize  Site www: still exists ten minutes after its deletion; respond with finalized: true"
    assert found == [f"{message}  NotFinalized"]
    assert beside_others == [f"{message}, or leave out of -f what the hook waits for  NotFinalized"]


AT_ONCE = (
    "/finalize  Site www: finalized: true in the first response, and ConfigMap a still exists; respond with "
    "finalized: false until the children are as they should be  FinalizedAtOnce"
)


@pytest.mark.parametrize(("finalized", "found"), [("True", [AT_ONCE]), ("not request.children.all(ConfigMap)", [])])
def test_a_parent_that_is_finalized_before_its_children_are_gone_is_found(finalized: str, found: list[str]) -> None:
    add_hook("finalize")
    write_hook(FINALIZE.format(finalized, 'child("a", a="b")'))

    assert checked("--only", "life")[1] == found
