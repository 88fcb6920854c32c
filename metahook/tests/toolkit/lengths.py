"""A plugin of pytest for the tests of both halves: how long they run, and how they are collected."""

import gc
import secrets
from collections.abc import Generator
from functools import partial

import pytest
import yaml
from hypothesis import HealthCheck, settings
from xdist.workermanage import WorkerController

yaml.safe_load = partial(yaml.load, Loader=yaml.CSafeLoader)  # reads files ten times as fast

settings.register_profile(
    "short",
    deadline=None,  # speed is measured in benchmarks, not in tests
    derandomize=True,  # the same run for everybody
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile(
    "whole",
    settings.get_profile("short"),
    derandomize=False,  # the seed is new each time
    database=None,  # the seed alone decides what is tried
    max_examples=100,
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without the garbage collector, which would look through all of them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)  # with the default of 700, a fifth of the time of all tests goes to it
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that accept what is made now, and that say how much is tried."""
    parser.addoption("--update-golden", action="store_true", help="write the golden responses again")
    parser.addoption("--all", action="store_true", help="run slow tests whole, with a new seed or --hypothesis-seed")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose how long slow tests run, and, before Hypothesis looks for it, the seed: a new one, or that of the run."""
    is_whole = config.getoption("--all")
    settings.load_profile("whole" if is_whole else "short")
    if is_whole and config.option.hypothesis_seed is None:
        of_the_run = getattr(config, "workerinput", {}).get("seed")
        config.option.hypothesis_seed = secrets.randbelow(2**32) if of_the_run is None else of_the_run


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """Hand the seed to a worker of xdist, which gets only the options that were given."""
    node.workerinput["seed"] = node.config.option.hypothesis_seed


def _again(config: pytest.Config) -> str:
    """Return the options that repeat this run; nothing if it is the same each time."""
    return f"--all --hypothesis-seed={config.option.hypothesis_seed}" if config.getoption("--all") else ""


def pytest_report_header(config: pytest.Config) -> str:
    """Say which options repeat this run."""
    return _again(config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say at a failure how to repeat it, if it may depend on the seed."""
    report = yield
    if report.failed and (again := _again(item.config)):
        report.sections.append(("Run it again", f'pytest {again} "{item.nodeid}"'))
    return report


@pytest.fixture(scope="session")
def random_seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of a random test that is not Hypothesis's: 0, or with ``--all`` that of the run."""
    return int(request.config.option.hypothesis_seed) if request.config.getoption("--all") else 0
