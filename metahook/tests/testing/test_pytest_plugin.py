"""The fixtures for pytest, in projects of their own. Pytest finds the plugin by its entry point."""

import shutil
from fnmatch import fnmatch

import pytest

import metahook.simulator.findings  # noqa: F401 - each run below forgets what it imports, but for what is imported here
from toolkit.root import ROOT

pytest_plugins = ["pytester"]

GREETING = ROOT / "examples/greeting"

SETTINGS = """
[pytest]
metahook_hook = greetings:GREETINGS
metahook_manifests = crd.yaml compositecontroller.yaml
"""

TEN_LINES = """
from metahook.simulator import Key

HI = {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}, "spec": {"text": "hello"}}

def test_the_text_of_a_greeting_gets_into_its_config_map(world):
    world.apply(HI)
    world.run(3600)
    assert world.get(Key("ConfigMap", "default", "hi"))["data"] == {"text": "hello"}
    assert world.parent("hi")["status"]["state"] == "Ready"

def test_a_new_greeting_is_building(hook, now):
    assert hook.decide(hook.request(HI), now).status == {"state": "Building"}
"""

CARELESS = """
from msgspec.structs import replace
import pytest
from greetings import GREETINGS

@pytest.fixture
def hook():
    def sync(request, now):
        return replace(GREETINGS.sync(request, now), status={"state": "Ready", "message": str(now)}, resync_after=60)
    return replace(GREETINGS, sync=sync)

@pytest.fixture
def apply_strategy():
    return "server-side-apply"

def test_it(world):
    world.apply({"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}, "spec": {"text": ""}})
    world.run(3600)
"""

OWN_WORLD = """
import pytest

@pytest.fixture
def world():
    return "mine"

def test_it(world):
    assert world == "mine"
"""


@pytest.fixture(name="project")
def _project(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in ("greetings.py", "crd.yaml", "compositecontroller.yaml"):
        shutil.copy(GREETING / name, pytester.path)
    pytester.makeini(SETTINGS)
    return pytester


def run(project: pytest.Pytester, *tests: str) -> pytest.RunResult:
    project.makepyfile(*tests)
    return project.runpytest_inprocess("-p", "no:xdist", "-p", "no:cov", "-p", "no:schemathesis", "-p", "no:randomly")


def test_the_marker_of_tests_on_a_control_plane_is_declared(project: pytest.Pytester) -> None:
    project.makepyfile("import pytest\n\n@pytest.mark.e2e\ndef test_it():\n    pass\n")

    ended = project.runpytest_inprocess("-p", "no:xdist", "-p", "no:cov", "-p", "no:schemathesis", "--strict-markers")

    ended.assert_outcomes(passed=1)


def test_ten_lines_test_a_hook_in_both_apply_strategies(project: pytest.Pytester) -> None:
    ended = run(project, TEN_LINES)

    ended.assert_outcomes(passed=3)


def test_a_test_fails_for_a_finding_although_its_asserts_hold(project: pytest.Pytester) -> None:
    ended = run(project, CARELESS)

    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(["the hook did harm in the simulated cluster:", "RepeatedWrites: Greeting hi: *"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "set metahook_hook = *"),
        ("metahook_hook = greetings:OTHER", "metahook_hook: greetings has no Controller called OTHER"),
        ("metahook_hook = greeting:GREETINGS", "metahook_hook: no module greeting in *"),
        ("metahook_hook = greetings.py:GREETINGS", "metahook_manifests: 0 controllers; *"),
        (
            "metahook_hook = greetings:GREETINGS\nmetahook_manifests = none.yaml",
            "metahook_manifests: no file *none.yaml",
        ),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(project: pytest.Pytester, settings: str, message: str) -> None:
    project.makeini(f"[pytest]\n{settings}\n")

    ended = run(project, "def test_it(world):\n    pass\n")

    ended.assert_outcomes(errors=2)
    ended.stdout.fnmatch_lines([f"*{message}"])


def test_a_fixture_of_the_project_that_is_called_world_stays_its_own(project: pytest.Pytester) -> None:
    run(project, OWN_WORLD).assert_outcomes(passed=1)


BROKEN = [
    ("hi.yaml", "text: ", "txt: ", "hi.yaml:4: Greeting hi: spec.txt: unknown field; *"),
    (
        "compositecontroller.yaml",
        "resource: configmaps",
        "resource: secrets",
        "hi.yaml: hi: the controller does not fit *",
    ),
    ("greetings.py", "def sync(", "def sync((", "--hook greetings.py:*: SyntaxError: *"),
    (
        "greetings.py",
        "import msgspec",
        "import nothing",
        "--hook greetings.py:*: ModuleNotFoundError: No module named 'nothing'",
    ),
]


@pytest.fixture(name="with_example")
def _with_example(project: pytest.Pytester) -> pytest.Pytester:
    shutil.copy(GREETING / "hi.yaml", project.path)
    project.makeini(f"{SETTINGS}metahook_examples = hi.yaml\n")
    return project


@pytest.mark.parametrize(("file", "old", "new", "error"), BROKEN)
def test_files_that_do_not_fit_together_are_one_error_before_all_tests(
    with_example: pytest.Pytester, file: str, old: str, new: str, error: str
) -> None:
    broken = with_example.path / file
    assert old in broken.read_text()
    broken.write_text(broken.read_text().replace(old, new, 1))

    ended = run(with_example, TEN_LINES)

    assert ended.ret == pytest.ExitCode.USAGE_ERROR
    line, *_ = filter(None, ended.errlines)
    assert fnmatch(line, f"ERROR: {error}"), line


def test_examples_that_fit_are_no_error(with_example: pytest.Pytester) -> None:
    run(with_example, TEN_LINES).assert_outcomes(passed=3)
