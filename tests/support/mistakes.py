"""Plants mistakes in a copy of the repository, one at a time, and says which tests catch each.

Those of mistakes.yaml are made by hand, the others by rule. ``make mutants`` takes those in files that differ from
where the branch left BASE (main); ONLY="TEXT ..." those with one in their id or file; ALL=1 all; PART=2/6 the second
sixth of them. The result is in mistakes-result.yaml, with which the next run is compared.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired, check_output
from typing import NamedTuple

import yaml

from tests.support.by_rule import RuleMade, made_by_rule

ROOT = Path(__file__).parents[2]
_LIST, _RESULT = (Path(__file__).with_name(f"{name}.yaml") for name in ("mistakes", "mistakes-result"))
_TOOLKIT = "metahook"
_CONTROL = "control-"  # in the ids of mistakes that nothing can miss, unless it does not test the copy
_ENDLESS = 300  # seconds, after which tests are caught in a loop
_TIMES = count(1)  # each text that is planted has its own time, so that no bytecode is taken for that of another


class Mistake(NamedTuple):
    """A row of the list, which says what its fields mean."""

    id: str
    old: str
    new: str
    sees: str
    tests: list[str]

    def file(self) -> Path:
        """Return the file that has the text, which is nowhere else; raise LookupError."""
        found = [file for file, text in _sources().items() for _ in range(text.count(self.old))]
        if len(found) == 1:
            return found[0]
        message = f"{self.id}: its text is {len(found)} times in app and metahook/src; correct its row"
        raise LookupError(message)

    def planted(self, source: str) -> str:
        """Return the *source* of the file with the mistake."""
        return source.replace(self.old, self.new)


def mistakes() -> list[Mistake]:
    """Return those made by hand."""
    return [Mistake(**row) for row in yaml.safe_load(_LIST.read_text(encoding="utf-8"))]


@cache
def all_mistakes() -> list[Mistake | RuleMade]:
    """Return those made by hand, then those made by rule."""
    return [*mistakes(), *made_by_rule(_sources(), ROOT)]


@cache
def _sources() -> dict[Path, str]:
    files = (file for part in ("app", "metahook/src") for file in (ROOT / part).rglob("*.py"))
    return {file.relative_to(ROOT): file.read_text(encoding="utf-8") for file in files}


def _asked() -> list[str]:
    """Return texts: the environment asks for the mistakes that have one of them in their id or file."""
    if os.environ.get("ONLY") or os.environ.get("ALL"):
        return os.environ.get("ONLY", "").split() or [""]
    git = ["git", "-C", str(ROOT)]
    base = check_output([*git, "merge-base", "HEAD", os.environ.get("BASE", "main")], text=True).strip()
    return check_output([*git, "diff", "--name-only", base], text=True).splitlines()


def _modules(test: str, word: str) -> list[str]:
    """Return the modules of tests in a folder, those that have the *word* first; or the one module."""
    files = [ROOT / test] if test.endswith(".py") else sorted((ROOT / test).rglob("test_*.py"))
    ordered = sorted(files, key=lambda file: not re.search(rf"\b{word}\b", f"{file.stem[5:]} {file.read_text()}"))
    return [str(file.relative_to(ROOT)) for file in ordered]


def _failure(copy: Path, tests: list[str]) -> str:
    """Return which of the *tests* in the *copy*, all of one half, fails first; empty if none does."""
    half = _TOOLKIT if tests[0].startswith(f"{_TOOLKIT}/") else ""  # each has settings of its own
    names = [test.removeprefix(f"{half}/") for test in tests]
    command = [sys.executable, "-m", "pytest", "-xq", "-n", "0", "-p", "no:cacheprovider", *names]
    paths = ":".join(str(copy / path) for path in ("", f"{_TOOLKIT}/src", f"{_TOOLKIT}/tests"))
    environment = {**os.environ, "PYTHONPATH": paths}  # before the editable installations
    run = Popen(
        command, cwd=copy / half, env=environment, stdout=PIPE, stderr=STDOUT, text=True, start_new_session=True
    )
    try:
        output, _ = run.communicate(timeout=_ENDLESS)
    except TimeoutExpired:
        return "an endless loop"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    failed = re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - |$)", output, re.MULTILINE)
    return "" if run.returncode == 0 else str(Path(half, failed[1])) if failed else output[-1000:]


def _again(failure: str, modules: list[str]) -> list[str]:
    """Return what to run to see whether a *failure* of the *modules* is due to the mistake."""
    if failure.endswith(".py"):
        return [failure, "--collect-only"]
    return [failure.split("[", maxsplit=1)[0]] if "::" in failure else modules


@contextmanager
def _planted(mistake: Mistake | RuleMade, copy: Path) -> Iterator[None]:
    file, original = copy / mistake.file(), _sources()[mistake.file()]
    before, time_of_it = file.stat().st_mtime, next(_TIMES)
    file.write_text(mistake.planted(original), encoding="utf-8")
    os.utime(file, (time_of_it, time_of_it))
    yield
    file.write_text(original, encoding="utf-8")
    os.utime(file, (before, before))


def _caught_by(mistake: Mistake | RuleMade, copy: Path) -> list[str]:
    """Plant *mistake* in the *copy*; return the names of the folders that catch it: of one made by rule, the first."""
    begin = time.monotonic()
    found: dict[str, str] = {}
    passed: set[str] = set()
    for test in mistake.tests:
        modules = [module for module in _modules(test, mistake.file().stem) if module not in passed]
        with _planted(mistake, copy):
            failure = _failure(copy, modules) if modules else ""
        if not failure:
            passed.update(modules)
        elif _failure(copy, _again(failure, modules)):
            print(f"{failure} fails without a mistake")  # noqa: T201 - the report
        else:
            found[test] = failure
            if isinstance(mistake, RuleMade):
                break
    what = f"caught by {' and '.join(found.values())}" if found else f"SURVIVES: {mistake.sees}"
    print(f"{mistake.id}: {what} ({time.monotonic() - begin:.0f} s)", flush=True)  # noqa: T201 - the report
    return [*found]


def _chosen(every: list[Mistake | RuleMade]) -> list[Mistake | RuleMade]:
    """Return those that the environment asks for; those that show whether the copy is tested are always among them."""
    texts = _asked()
    part, parts = map(int, os.environ.get("PART", "1/1").split("/"))
    asked = [each for each in every if any(text in f"{each.id} {each.file()}" for text in texts)][part - 1 :: parts]
    return [each for each in every if _CONTROL in each.id or each in asked]


def main(copy: Path) -> str:
    """Copy the tree to *copy*, and run the tests there; return what is wrong, or nothing."""
    every = all_mistakes()
    left_out = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "build", "dist")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
    before = yaml.safe_load(_RESULT.read_text(encoding="utf-8")) or {}
    found: dict[str, list[str]] = {}
    for each in _chosen(every):
        found[each.id] = _caught_by(each, copy)
        known = {**before, **found}  # written each time, so that nothing is lost if the rest is interrupted
        lines = [f"{each.id}: [{', '.join(known[each.id])}]\n" for each in every if each.id in known]
        _RESULT.write_text("".join(lines), encoding="utf-8")
    lost = [name for name, tests in found.items() if not tests and (_CONTROL in name or before.get(name))]
    return f"not caught any more: {', '.join(lost)}" if lost else ""


if __name__ == "__main__":
    for ignored in (signal.SIGHUP, signal.SIGINT):  # by nohup and & of a shell: what tests start would inherit it
        signal.signal(ignored, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(Path(folder, "copy")) or 0)
