"""docs/from-controller-runtime.md: each word of controller-runtime is on the page, with a test; its hook is run."""

import re
import runpy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from metahook import Controller, Kind
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from tests.docs.proofs import collected, proofs
from tests.documents import ROOT, Console, consoles, printed
from tests.worlds import Since, both_modes, calls

PAGE, CHINESE = "docs/from-controller-runtime.md", "docs/from-controller-runtime.zh.md"
TEXT = (ROOT / PAGE).read_text()

WORDS = {
    "Reconcile": ["Reconcile", "client.Get", "IgnoreNotFound", "CreateOrUpdate", "Status().Update", "RequeueAfter"],
    "Builder": ["For", "Owns", "Watches", "WithEventFilter", "WithOptions", "Named", "Complete", "SetupWithManager"],
    "Manager": [
        *(
            "ctrl.NewManager",
            "Runnable",
            "AddReadyzCheck",
            "LeaderElection",
            "NeedLeaderElection",
            "SetupSignalHandler",
        ),
        *("Cluster", "Scheme", "RESTMapper", "client.Client", "APIReader", "FieldIndexer"),
    ],
    "Event handlers": [
        *("EnqueueRequestForObject", "EnqueueRequestForOwner", "EnqueueRequestsFromMapFunc", "Funcs"),
        *("CreateEvent", "UpdateEvent", "DeleteEvent", "GenericEvent", "source.Kind", "source.Channel"),
    ],
    "Predicates": [
        *("GenerationChangedPredicate", "LabelChangedPredicate", "AnnotationChangedPredicate"),
        *("LabelSelectorPredicate", "ResourceVersionChangedPredicate", "predicate.Funcs"),
    ],
    "Work queue": [
        *("Add", "Get", "Done", "Forget", "AddRateLimited", "AddAfter", "SyncPeriod", "MaxConcurrentReconciles"),
        *("workers", "rate limiter", "client QPS"),
    ],
    "Ownership and apply": [
        *("SetControllerReference", "ownerReferences", "garbage collection", "client.Apply", "FieldOwner"),
        *("ForceOwnership", "MergeFrom", "own writes"),
    ],
    "Others": ["EventRecorder", "admission webhooks", "CEL", "envtest", "controller-gen"],
}
"""What a reader of a tutorial looks for, by the tutorial's chapter."""

COPY = Key("Copy", "default", "mine")
CHILD, SOURCE, OTHER = (Key("ConfigMap", "default", name) for name in ("mine", "settings", "other"))


def parts(page: str) -> Iterator[str]:
    """Yield the rows of tables and the paragraphs of *page*, each with the comment that follows it."""
    for part in re.split(r"\n\s*\n", page):
        yield from part.split("\n|") if part.startswith("|") else [part]


def without_proof(word: str, page: str) -> bool:
    """Tell whether no part of *page* has *word* as code, in bold, or in the first cell of a row, and names a test."""
    term = rf"(?<![\w-]){re.escape(word)}(?!\w)"
    shown = re.compile(rf"`[^`\n]*{term}[^`\n]*`|\*\*[^*\n]*{term}[^*\n]*\*\*|^\|?[^|\n]*{term}[^|\n]* \|")
    return not any(set(proofs(part)) & collected() for part in parts(page) if shown.search(part))


@pytest.mark.parametrize("page", [PAGE, CHINESE])
@pytest.mark.parametrize("word", [word for words in WORDS.values() for word in words])
def test_each_word_of_controller_runtime_is_on_the_page_with_a_test_that_shows_it(word: str, page: str) -> None:
    assert not without_proof(word, (ROOT / page).read_text())


PROOF = "<!-- tests: e2e.deletion.its_children_are_deleted_with_it -->"


@pytest.mark.parametrize(
    ("page", "is_missing"),
    [
        (f"| a | b |\n|---|---|\n| `Owns` | It owns. | {PROOF} |", False),
        (f"`Owns(&Deployment{{}})` owns.\n{PROOF}", False),
        (f"| a | b |\n|---|---|\n| `Owns` | It owns. |\n| `For` | It is for. | {PROOF} |", True),
        (f"`Owned` is another word. {PROOF}", True),
        (f"Owns is a word of this sentence. {PROOF}", True),
        (f"| a | b |\n|---|---|\n| Owns | It owns. | {PROOF} |", False),
        ("`Owns` owns. <!-- tests: e2e.deletion.no_test -->", True),
        (f"`Owns` owns.\n\nSomething else. {PROOF}", True),
    ],
)
def test_a_word_without_a_test_is_found(page: str, is_missing: bool) -> None:  # noqa: FBT001 - a column of the table
    assert without_proof("Owns", page) == is_missing


def test_a_link_to_a_test_leads_to_the_file_that_has_it() -> None:
    links = re.findall(r"\[test_\w+\.py\]\(\.\./(\S+?)\) <!-- tests: ([\w.]+)", TEXT)

    assert len(links) > 40
    for path, name in links:
        file = name.rpartition(".")[0].replace(".", "/")
        folder, _, stem = f"tests/{file}".replace("tests/hooks/", "examples/hooks/").rpartition("/")
        assert path == f"{folder}/test_{stem}.py"


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:app|metahook)/[\w./]+)`", TEXT))))
def test_the_files_that_the_page_names_are_there(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("shown", consoles(PAGE), ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(shown: Console) -> None:
    assert printed(shown.command) == shown.output


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert isinstance(found, str)
    return found


@pytest.fixture(name="copies", scope="module")
def _copies(tmp_path_factory: pytest.TempPathFactory) -> Controller:
    file = tmp_path_factory.mktemp("watching") / "copies.py"
    file.write_text(block("python"))
    found = runpy.run_path(str(file))["COPIES"]
    assert isinstance(found, Controller)
    return found


def made(key: Key, **fields: Any) -> Json:
    api_version = "example.com/v1" if key.kind == "Copy" else "v1"
    metadata = {"name": key.name, "namespace": key.namespace}
    return {"apiVersion": api_version, "kind": key.kind, "metadata": metadata, **fields}


def ready(mode: Any, copies: Controller) -> World:
    """Return a world in which a ConfigMap is copied, with the settings of the page's CompositeController."""
    spec = yaml.safe_load(block("yaml"))["spec"]
    parent = spec["parentResource"]
    world = World(
        copies,
        Settings(
            Kind(parent["apiVersion"], "Copy", parent["resource"]),
            tuple(each.KIND for each in copies.children),
            mode=mode,
            resync_period=spec["resyncPeriodSeconds"],
            ignore_status_changes=parent["ignoreStatusChanges"],
            has_customize="customize" in spec["hooks"],
        ),
    )
    for item in (made(SOURCE, data={"a": "1"}), made(OTHER), made(COPY, spec={"source": "settings"})):
        world.apply(item)
    assert world.until(lambda: world.parent("mine").get("status", {}).get("state") == "Copied", within=60)
    world.run(30)
    return world


def annotated(item: Json) -> None:
    item["metadata"].setdefault("annotations", {})["example.com/a"] = "1"


Happen = Callable[[World], object]
STATUS = 2
"""Writes of the status while a child is written: Copying, and Copied once it is observed."""

HAPPENINGS: dict[str, tuple[Happen, int, int]] = {
    "For": (lambda it: it.edit(COPY, annotated), 1, 0),
    "Owns, put back": (lambda it: it.edit(CHILD, lambda item: item.update(data={"a": "2"})), 2, 1 + STATUS),
    "Watches": (lambda it: it.edit(SOURCE, lambda item: item.update(data={"a": "3"})), 2, 1 + STATUS),
    "Watches, gone": (lambda it: it.delete(SOURCE), 1, 1),
    "Predicate": (lambda it: it.edit(COPY, lambda item: item["status"].update(state="Other")), 0, 0),
    "not watched": (lambda it: it.edit(OTHER, annotated), 0, 0),
}


@both_modes
@pytest.mark.parametrize("name", HAPPENINGS)
def test_the_hook_of_the_page_is_called_for_what_it_watches_alone(mode: Any, copies: Controller, name: str) -> None:
    happen, asked, written = HAPPENINGS[name]
    world = ready(mode, copies)
    before, done = calls(world), Since(world)

    happen(world)
    world.run(30)

    assert calls(world) - before == asked
    assert len(done.writes) == written


@both_modes
def test_the_hook_of_the_page_is_called_once_in_a_period_and_at_its_own_moment(mode: Any, copies: Controller) -> None:
    world = ready(mode, copies)
    before = calls(world)

    world.run(3600)

    assert calls(world) - before == 6 + 1  # six periods, and the moment that it asked for
    assert calls(world, "customize") <= 6  # its answer is forgotten after twenty minutes
