"""Plants the mistakes of mistakes.yaml in a copy of the repository, one at a time, and says which tests catch each.

``make mutants`` takes those in files that differ from where the branch left BASE (main); ONLY="TEXT ..." those with
one in their id or file; ALL=1 all. The result is in mistakes-result.yaml, with which the next run is compared.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired, check_output
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
_LIST, _RESULT = (Path(__file__).with_name(f"{name}.yaml") for name in ("mistakes", "mistakes-result"))
_TOOLKIT = "metahook"
_CONTROL = "control-"  # in the ids of mistakes that nothing can miss, unless it does not test the copy


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


def mistakes() -> list[Mistake]:
    """Return the whole list."""
    return [Mistake(**row) for row in yaml.safe_load(_LIST.read_text(encoding="utf-8"))]


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


def _failure(copy: Path, *tests: str) -> str:
    """Return which of the *tests* in the *copy* fails first; empty if none does. Each half has settings of its own."""
    of_toolkit = [test.removeprefix(f"{_TOOLKIT}/") for test in tests if test.startswith(f"{_TOOLKIT}/")]
    of_operator = [test for test in tests if not test.startswith(f"{_TOOLKIT}/")]
    return (_failed(copy, copy, of_operator) if of_operator else "") or (
        _failed(copy, copy / _TOOLKIT, of_toolkit) if of_toolkit else ""
    )


def _failed(copy: Path, half: Path, tests: list[str]) -> str:
    """Return which of the *tests* of a *half* of the *copy* fails first; empty if none does."""
    workers = "0" if len(tests) == 1 and tests[0].endswith(".py") else "2"  # to start them takes longer than a module
    command = [sys.executable, "-m", "pytest", "-xq", "-n", workers, "-p", "no:cacheprovider", *tests]
    # Before the editable installations; and no bytecode of a mistake is taken for that of the next text of its file.
    paths = ":".join(str(copy / path) for path in ("", f"{_TOOLKIT}/src", f"{_TOOLKIT}/tests"))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    run = Popen(command, cwd=half, env=environment, stdout=PIPE, stderr=STDOUT, text=True, start_new_session=True)
    try:
        output, _ = run.communicate(timeout=1800)
    except TimeoutExpired:
        return "an endless loop"
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
    failed = re.search(r"^(FAILED|ERROR) (.+?)( - |$)", output, re.MULTILINE)
    return "" if run.returncode == 0 else failed[2] if failed else output[-1000:]


def _caught_by(mistake: Mistake, copy: Path) -> list[str]:
    """Plant *mistake* in the *copy*; return the names of the folders that catch it."""
    begin, file, original = time.monotonic(), copy / mistake.file(), _sources()[mistake.file()]
    file.write_text(original.replace(mistake.old, mistake.new), encoding="utf-8")
    found = {test: failure for test in mistake.tests if (failure := _failure(copy, test))}
    file.write_text(original, encoding="utf-8")
    what = f"caught by {' and '.join(found.values())}" if found else f"SURVIVES: {mistake.sees}"
    print(f"{mistake.id}: {what} ({time.monotonic() - begin:.0f} s)", flush=True)  # noqa: T201 - the report
    return [*found]


def main(copy: Path) -> str:
    """Copy the tree to *copy*, and run the tests there; return what is wrong, or nothing."""
    every, texts = mistakes(), [_CONTROL, *_asked()]
    planted = [each for each in every if any(text in f"{each.id} {each.file()}" for text in texts)]
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".*", "build", "dist"))
    if failure := _failure(copy, *sorted({test for each in planted for test in each.tests})):
        return f"it fails without a mistake: {failure}"
    before = yaml.safe_load(_RESULT.read_text(encoding="utf-8")) or {}
    found: dict[str, list[str]] = {}
    for each in planted:
        found[each.id] = _caught_by(each, copy)
        known = {**before, **found}  # written each time, so that nothing is lost if the rest is interrupted
        lines = [f"{each.id}: [{', '.join(known[each.id])}]\n" for each in every if each.id in known]
        _RESULT.write_text("".join(lines), encoding="utf-8")
    lost = [name for name, tests in found.items() if not tests and (_CONTROL in name or before.get(name))]
    return f"not caught any more: {', '.join(lost)}" if lost else ""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(Path(folder, "copy")) or 0)
