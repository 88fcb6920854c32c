"""What ``metahook check`` prints: findings, the command that repeats each, and why a check is not finished."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from metahook.cli.checking import calls
from metahook.cli.checking.calls import Stopped
from metahook.cli.checking.results import CheckResult, Results
from metahook.simulator.hook import Reply
from toolkit.cli.command import call, problem
from toolkit.cli.served import serving
from toolkit.cli.sites import ARGUMENTS, GOOD, HOOK, edit, write_hook

CHECK = ("check", *ARGUMENTS, *HOOK)
UNFORESEEN = 'made(state={"gold": "Made"}[spec_of(request).get("plan", "gold")])'
SHARED = """
    TEMPLATE = {"team": "web"}
    def sync(request, now):
        TEMPLATE[request.parent.name] = "here"
        return made(child(request.parent.name, **TEMPLATE))
"""
OLD = 'made(state="Old" if (now - datetime.fromisoformat(request.parent.created)).total_seconds() > 3000 else "New")'
AGAIN = "written again and again, although nothing else changes: status.at is another one each time"


@pytest.mark.parametrize(
    ("check", "code", "printed"),
    [("purity", OLD, "NeedsResync"), ("twins", SHARED, "MixedParents"), ("generated", UNFORESEEN, "KeyError: ''")],
    ids=["a later time", "two parents", "another spec"],
)
def test_the_command_of_a_finding_repeats_it(check: str, code: str, printed: str) -> None:
    write_hook(code)
    found = json.loads(call(*CHECK, "-o", "json", "--only", check).out)["findings"][0]
    Path("example.yaml").write_text(found["example"])
    name, *words = shlex.split(found["command"])

    ended = call(*("example.yaml" if word == "-" else word for word in words))

    assert name == "metahook"
    assert ended.code > 0
    assert printed in ended.out + ended.err


def test_the_text_has_a_line_for_each_finding_and_the_command_that_repeats_it() -> None:
    write_hook("made(at=now.isoformat())")
    edit("controller.yaml", "version: v2", "version: v1")

    ended = call(*CHECK, "--only", "life")

    assert (ended.code, ended.err) == (1, "")
    lines = ended.out.splitlines()
    assert lines[:-1] == [
        "controller.yaml:15  sync: version v1; set version: v2 and responseUnMarshallMode: strict   LooseHook",
        f"/sync  Site www: {AGAIN}  RepeatedWrites",
        "    metahook simulate -k controller.yaml -k crd.yaml --hook hook.py -f www.yaml",
    ]
    assert re.fullmatch(r"2 problems \(2 checks, [0-9]+ calls of the hook\)", lines[-1])


def test_the_example_of_a_finding_is_in_the_command() -> None:
    write_hook(UNFORESEEN)

    ended = call(*CHECK, "--only", "generated")

    assert ended.out.splitlines()[1:-1] == [
        "    metahook simulate -k controller.yaml -k crd.yaml --hook hook.py -f - <<'EOF'",
        "apiVersion: example.com/v1",
        "kind: Site",
        "metadata:",
        "  name: a",
        "spec:",
        "  plan: ''",
        "EOF",
    ]


def test_each_check_is_a_test_case_of_junit() -> None:
    write_hook('made(state=spec_of(request)["plan"])')

    ended = call(*CHECK, "-o", "junit")

    suite = ET.fromstring(ended.out)  # noqa: S314 - the command's own
    cases = {case.get("name"): case for case in suite}
    assert {"manifests", "purity", "life", "twins", "smaller", "generated", "stale-parent", "crash-0"} <= {*cases}
    assert (suite.get("tests"), suite.get("failures")) == (str(len(cases)), "1")
    failure = cases["smaller"].find("failure")
    assert failure is not None
    assert failure.get("type") == "Exception"
    assert "metahook simulate" in (failure.text or "")


def test_a_refused_child_is_one_finding_in_all_checks() -> None:
    write_hook('made(child(f"{request.parent.name}_A", a="b"))')

    findings = json.loads(call(*CHECK, "-o", "json").out)["findings"]

    assert [each["name"] for each in findings] == ["UnreportedRefusal"]


# What is not finished


def test_a_check_ends_in_time_with_what_it_found() -> None:
    write_hook("""
        def sync(request, now):
            time.sleep(0.2)
            return made(child("a", id=str(uuid.uuid4())))
    """)

    ended = call(*CHECK, "--limit", "1")

    assert ended.code == 2
    first, last = ended.out.splitlines()
    assert re.fullmatch(r"1 of [0-9]{2} checks ran: stopped after 1 s; --limit SECONDS allows more", first)
    assert re.fullmatch(r"not finished \(1 check, [0-9]+ calls of the hook\)", last)


def test_a_check_that_is_stopped_keeps_what_it_has_found() -> None:
    results, finding = Results(), CheckResult("NotPure", "/sync", "Site www: differs")

    def stopped() -> Iterator[CheckResult]:
        yield finding
        raise Stopped

    with pytest.raises(Stopped):
        results.add("purity", stopped())

    assert results.findings == [finding]


def test_a_hook_that_hangs_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LONGEST_CALL", 0.1)
    write_hook("""
        def sync(request, now):
            while True:
                try:
                    time.sleep(1)
                except Exception:
                    pass
    """)

    assert problem(*CHECK) == "--hook: sync takes over 0 s, the timeout of Metacontroller; make it shorter"


@pytest.mark.parametrize("stays", [True, False])
def test_a_hook_that_closes_connections_is_a_finding_and_one_that_ends_stops_the_check(*, stays: bool) -> None:
    """Answer two requests, and then those alone with a plan, or none."""
    answered = list[bytes]()

    def answer(body: bytes) -> Reply | None:
        answered.append(body)
        is_answered = len(answered) <= 2 or (stays and b'"plan"' in body)
        return Reply(200, b'{"status": {"state": "Made"}, "children": []}') if is_answered else None

    with serving(answer) as url:
        ended = call("check", *ARGUMENTS, "--hook", url, "--only", "smaller")

    assert ended.code == 1
    assert ended.out.startswith(f"/sync  Site www: no answer from {url}/sync")
    assert ("stopped, because the hook no longer responds" in ended.out) is not stays


@pytest.mark.parametrize("only", [(), ("--only", "twins")])
def test_checks_that_were_asked_for_and_can_not_run_are_no_success(only: tuple[str, ...]) -> None:
    """Have each sync put off, which is no failure by itself."""
    with serving(lambda _: Reply(429, b"", 3600)) as url:
        ended = call("check", *ARGUMENTS, "--hook", url, *only)

    assert (ended.code, ended.err) == (2, "")
    assert "checks ran: no more can be checked, because no sync succeeds" in ended.out
    assert ended.out.splitlines()[-1].startswith("not finished (")


def test_a_check_that_does_not_exist_is_named() -> None:
    write_hook(GOOD)

    assert problem(*CHECK, "--only", "lif").startswith(
        "--only lif: no such check; choose one of manifests, hooks, purity, life"
    )


def test_a_terminal_shows_which_check_of_how_many_runs() -> None:
    write_hook(GOOD)
    terminal, errors = os.openpty()

    with os.fdopen(errors, "w") as stderr:
        command = [sys.executable, "-m", "metahook.cli", *CHECK]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, check=False)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)

    count = json.loads(call(*CHECK, "-o", "json").out)["checks"][1:]
    assert (ended.returncode, ended.stdout.count(b"\n")) == (0, 1)
    assert f"0/{len(count)}  {count[0]}" in shown
    assert f"{len(count)}/{len(count)}" in shown
