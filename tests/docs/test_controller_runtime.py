"""metahook/docs/from-controller-runtime.md: its commands print what it says, and its hook is called as it says."""

import json
import re
import runpy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from metahook import Controller, Kind
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key
from metahook.simulator.world import World
from tests.docs.documents import ROOT, Console, consoles, printed
from tests.simulated.worlds import Since, both_modes, calls

PAGE = "metahook/docs/from-controller-runtime.md"
TEXT = (ROOT / PAGE).read_text()

COPY = Key("Copy", "default", "mine")
CHILD, SOURCE, OTHER = (Key("ConfigMap", "default", name) for name in ("mine", "settings", "other"))


HANDLERS, QUEUE, PREDICATES = (f"tests/e2e/test_{name}.py" for name in ("event_handlers", "queue", "predicates"))
OWNERSHIP, FLAGS, CONTROLLERS = (f"tests/e2e/test_{name}.py" for name in ("ownership", "flags", "controllers"))
CUSTOMIZE, LOOP, CACHE = (
    f"metahook/tests/simulator/test_{name}.py" for name in ("customize", "metacontroller", "cache")
)
DEFAULTS = f"{FLAGS}::test_flags_have_the_defaults_of_the_pages"
STEPS = f"{PREDICATES}::test_a_step_has_the_result_of_the_table"
OBSERVED = "metahook/tests/protocol/test_observed.py"
GREETINGS = "metahook/examples/greeting/test_greetings_on_a_cluster.py"
PORTED = "examples/hooks/myresource/test_myresources_on_a_cluster.py::test_the_life_of_a_myresource_with_the_hook"

PROOFS = {
    "`Reconcile(ctx, req)`": [
        f"{HANDLERS}::test_the_request_has_the_objects_as_they_are_when_the_turn_of_the_key_comes"
    ],
    "`client.Get`, `IgnoreNotFound`": [f"{HANDLERS}::test_a_deleted_parent_is_not_called_and_its_children_go"],
    "`client.List`": [f"{OBSERVED}::test_all_children_of_a_kind_are_listed", PORTED],
    "`CreateOrUpdate`, `client.Delete`": [f"{LOOP}::test_a_child_that_is_no_longer_listed_is_deleted"],
    "`Status().Update`, `Status().Patch`": [f"{LOOP}::test_the_status_is_replaced_whole_and_says_which_generation"],
    "`meta.SetStatusCondition`": [
        "metahook/tests/protocol/test_conditions.py::test_the_time_changes_with_the_status_alone",
        "tests/e2e/test_verdicts.py::test_transition_times_rarely_change_without_their_status_or_go_back",
    ],
    "`Result{RequeueAfter: d}`": [
        f"{QUEUE}::test_resync_after_seconds_calls_again_without_an_event",
        "metahook/tests/simulator/test_queue.py::test_the_earliest_of_several_delayed_requests_counts",
    ],
    "returning an error, `Requeue`": [
        f"{QUEUE}::test_a_failed_sync_writes_nothing_and_is_an_event_of_its_parent_alone"
    ],
    "an error, and `RequeueAfter`": ["tests/docs/test_why_watch.py::test_an_outage_costs_what_the_table_says"],
    "`reconcile.TerminalError`": [
        "metahook/tests/docs/test_write_your_own_hook.py::test_the_hook_of_the_page_tells_ready_from_building_and_keeps_what_it_cannot_read"
    ],
    "`RecoverPanic`": [
        "metahook/tests/server/hook/test_refusals.py::test_a_bug_in_a_controller_is_a_500_that_says_where_and_not_with_what"
    ],
    "`AddFinalizer`": [
        "tests/e2e/test_deletion.py::test_its_children_are_deleted_with_it",
        "metahook/tests/simulator/test_composite.py::test_a_parent_waits_for_its_finalize_hook",
    ],
    "`For`, the primary resource": [f"{HANDLERS}::test_an_event_of_a_parent_calls_that_parent"],
    "`Owns`, secondary resources": [
        f"{HANDLERS}::test_an_event_of_a_child_calls_its_controller_alone",
        f"{LOOP}::test_a_child_with_the_update_method_on_delete_is_created_and_deleted_but_never_updated",
    ],
    "`Watches`, other secondary resources": [
        f"{HANDLERS}::test_a_related_object_calls_when_it_is_created_changed_and_deleted"
    ],
    "`WithEventFilter`, `WithPredicates`": [STEPS],
    "`WithOptions`, `MaxConcurrentReconciles`": [
        f"{QUEUE}::test_as_many_parents_are_synced_at_once_as_there_are_workers",
        DEFAULTS,
    ],
    "`Named`": [f"{CONTROLLERS}::test_the_work_queue_is_named_after_the_controller"],
    "`Complete`, `SetupWithManager`": [
        f"{CONTROLLERS}::test_an_applied_controller_starts_without_a_restart",
        f"{CONTROLLERS}::test_a_changed_controller_restarts_and_syncs_all_parents",
    ],
    "`ctrl.NewManager`, `mgr.Start`": ["tests/e2e/test_life.py::test_a_new_one_is_building_and_then_ready"],
    "`Runnable`, `mgr.Add`": [
        "metahook/tests/docs/test_polling.py::test_an_idle_parent_is_called_once_in_each_interval_at_its_own_moment"
    ],
    "HTTP servers, `AddHealthzCheck`, `AddReadyzCheck`": [
        "metahook/tests/server/lifecycle/test_shutdown.py::test_it_is_ready_once_the_hooks_accept_connections_and_not_before"
    ],
    "`LeaderElection`, `NeedLeaderElection`": [
        f"{FLAGS}::test_one_of_two_metacontrollers_syncs_and_the_other_takes_over",
    ],
    "graceful stop, `SetupSignalHandler`": [
        "metahook/tests/server/lifecycle/test_shutdown.py::test_after_sigterm_requests_are_served_until_the_drain_ends"
    ],
    "`Cluster`": ["tests/docs/test_controller_runtime.py::test_a_request_does_not_name_its_cluster"],
    "`Scheme`, external types": [f"{OBSERVED}::test_a_related_kind_that_is_known_only_by_its_group_is_read_as_another"],
    "`RESTMapper`": [
        "tests/e2e/test_chart.py::test_a_first_installation_starts_when_metacontroller_discovers_the_kind",
        DEFAULTS,
    ],
    "`client.Client`, cached reads": [f"{CACHE}::test_a_cache_that_is_behind_hides_its_last_changes"],
    "`APIReader`": [
        "tests/e2e/test_stale_requests.py::test_a_stale_request_changes_no_child_and_the_newer_spec_follows"
    ],
    "`FieldIndexer`": [f"{CUSTOMIZE}::test_a_rule_delivers_the_objects_that_it_selects"],
    "`InformerCache`, `NewCache`": ["tests/e2e/test_verdicts.py::test_every_right_of_the_role_is_used"],
    "`ByObject`, `DefaultNamespaces`": [
        "tests/e2e/test_verdicts.py::test_every_right_of_the_role_is_used",
        f"{PREDICATES}::test_customize_is_also_called_for_a_parent_that_does_not_match",
    ],
    "`SyncPeriod`": [
        "metahook/tests/simulator/test_settings.py::test_what_the_composite_controller_does_not_set_has_metacontrollers_default",
        DEFAULTS,
    ],
    "`JitterPeriod`": [f"{QUEUE}::test_a_resync_period_queues_all_parents_together"],
    "structured, unstructured and metadata-only objects": [
        f"{CUSTOMIZE}::test_a_rule_delivers_the_objects_that_it_selects",
        f"{OBSERVED}::test_a_related_object_with_fields_of_another_kind_is_there_but_unreadable",
    ],
    "`EnqueueRequestForObject`": [f"{HANDLERS}::test_an_event_of_a_parent_calls_that_parent"],
    "`EnqueueRequestForOwner`": [
        f"{HANDLERS}::test_an_event_of_a_child_calls_its_controller_alone",
        f"{HANDLERS}::test_an_orphan_with_the_label_calls_the_parent_of_that_uid_which_adopts_it",
    ],
    "`EnqueueRequestsFromMapFunc`": [
        f"{HANDLERS}::test_a_related_object_calls_the_parents_that_it_matched_before_and_after"
    ],
    "`handler.Funcs`": [
        "tests/docs/test_controller_runtime.py::test_the_hook_of_the_page_is_called_for_what_it_watches_alone"
    ],
    "`CreateEvent`, `UpdateEvent`, `DeleteEvent`": [
        f"{HANDLERS}::test_a_related_object_calls_when_it_is_created_changed_and_deleted"
    ],
    "`GenericEvent`, `source.Channel`": [f"{HANDLERS}::test_an_event_of_a_parent_calls_that_parent"],
    "`source.Kind`": [f"{CUSTOMIZE}::test_a_rule_delivers_the_objects_that_it_selects"],
    "`GenerationChangedPredicate`": [STEPS],
    "`LabelChangedPredicate`, `AnnotationChangedPredicate`": [STEPS],
    "`LabelSelectorPredicate`": [
        STEPS,
        f"{PREDICATES}::test_customize_is_also_called_for_a_parent_that_does_not_match",
        f"{PREDICATES}::test_neither_a_restart_nor_the_resync_period_calls_a_parent_that_does_not_match",
    ],
    "`ResourceVersionChangedPredicate`": [
        f"{LOOP}::test_an_event_that_arrives_twice_is_another_sync_only_for_the_parent"
    ],
    "`predicate.Funcs`, `And`, `Or`, `Not`; a `WatchesOption`": [
        "tests/e2e/test_costs.py::test_an_event_costs_what_the_page_says"
    ],
    "the key, a `NamespacedName`": [
        f"{HANDLERS}::test_the_request_has_the_objects_as_they_are_when_the_turn_of_the_key_comes"
    ],
    "`Add`, deduplication": [f"{QUEUE}::test_ten_edits_during_a_call_cost_one_more_call_with_the_last_state"],
    "lost events": [
        "metahook/tests/simulator/test_queue.py::test_what_happens_while_metacontroller_is_down_is_repaired_after_it"
    ],
    "`Get`, `Done`": [f"{QUEUE}::test_ten_edits_during_a_call_cost_one_more_call_with_the_last_state"],
    "`Forget`": [f"{QUEUE}::test_retries_wait_twice_as_long_each_time_and_from_the_beginning_after_a_success"],
    "`AddRateLimited`, the rate limiter": [
        f"{QUEUE}::test_retries_wait_twice_as_long_each_time_and_from_the_beginning_after_a_success",
        f"{QUEUE}::test_all_retries_together_are_limited",
        "metahook/tests/simulator/test_queue.py::test_retries_wait_twice_as_long_each_time_up_to_a_limit_until_one_succeeds",
    ],
    "`AddAfter`": [f"{QUEUE}::test_a_429_is_retried_after_its_retry_after_without_an_event"],
    "workers": [f"{QUEUE}::test_as_many_parents_are_synced_at_once_as_there_are_workers"],
    "client QPS": [f"{FLAGS}::test_the_limit_of_requests_to_the_api_server_is_no_limit_of_retries", DEFAULTS],
    "`client.Apply`": [f"{OWNERSHIP}::test_the_field_manager_is_metacontroller", DEFAULTS],
    "`FieldOwner`": [f"{FLAGS}::test_the_field_manager_of_server_side_apply_has_the_name_of_the_flag", DEFAULTS],
    "`ForceOwnership`": [f"{OWNERSHIP}::test_of_a_field_that_two_managers_set_metacontrollers_value_wins"],
    "fields that your responses never set": [
        f"{OWNERSHIP}::test_a_field_that_the_answer_leaves_out_stays_as_another_manager_set_it"
    ],
    "`Patch`, `MergeFrom`, `RetryOnConflict`": [
        f"{CACHE}::test_a_conflicting_update_is_dropped_without_an_error_and_sent_later"
    ],
    "`envtest`": [f"{GREETINGS}::test_a_greeting_becomes_ready"],
    "the fake client": ["tests/e2e/test_as_simulated.py::test_a_scenario_equals_the_simulated_one"],
    "`kubebuilder init`, `create api`": [f"{GREETINGS}::test_a_greeting_becomes_ready"],
    "`make install`": [f"{GREETINGS}::test_a_greeting_becomes_ready"],
    "`make deploy`": [
        "metahook/tests/docs/test_hooks_to_copy.py::test_the_composite_controller_calls_the_service_of_the_hook"
    ],
    "`controller-gen`, markers": ["tests/api/test_crd.py::test_the_committed_crd_is_the_one_that_the_models_make"],
    "`make run`, running locally, a debugger": [
        "tests/e2e/test_laptop.py::test_only_a_labelled_parent_goes_to_the_laptop_and_back_and_no_child_is_written"
    ],
    "`+kubebuilder:rbac`": ["tests/e2e/test_verdicts.py::test_metacontroller_has_every_right_that_it_needs"],
    "metrics": [
        f"{CONTROLLERS}::test_the_work_queue_is_named_after_the_controller",
        "tests/monitoring/test_kube_state_metrics.py::test_metacontroller_has_the_metrics_of_the_alerts",
        DEFAULTS,
    ],
    "`log.FromContext`": ["metahook/tests/docs/test_development.py::test_the_log_of_the_page_is_the_one_of_its_hook"],
}
"""The tests that observe what a row says, by its term."""


def terms() -> list[str]:
    """Return the first cells of all tables of the page, without the heads."""
    return re.findall(r"^\| (?!controller-runtime \||client-go \|)(.+?) \| ", TEXT, re.MULTILINE)


def test_every_row_has_a_test_of_its_own_claim() -> None:
    assert terms() == list(PROOFS)


@pytest.mark.parametrize("proof", sorted({proof for proofs in PROOFS.values() for proof in proofs}))
def test_a_test_that_stands_behind_a_row_exists(proof: str) -> None:
    file, _, name = proof.partition("::")

    assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:app|metahook)/[\w./]+)`", TEXT))))
def test_the_files_that_the_page_names_are_there(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("shown", consoles(PAGE), ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(shown: Console) -> None:
    assert printed(shown.command) == shown.output


def test_a_request_does_not_name_its_cluster() -> None:
    """The requests were recorded at a real Metacontroller."""
    recorded = [json.loads(file.read_text()) for file in sorted((ROOT / "examples/requests").glob("*.json"))]

    assert {field for request in recorded for field in request} == {
        *("parent", "children", "related", "controller", "finalizing")
    }
    assert "clusterName" not in str(recorded)


def block(language: str, page: str = TEXT) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert isinstance(found, str)
    return found


@pytest.fixture(name="copies", scope="module")
def _copies(tmp_path_factory: pytest.TempPathFactory) -> Controller:
    file = tmp_path_factory.mktemp("watching") / "copies.py"
    file.write_text(block("python", (ROOT / "metahook/docs/why-watch.md").read_text()))
    found = runpy.run_path(str(file))["watching"]()
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
    for item in (made(SOURCE, data={"a": "1"}), made(OTHER), made(COPY, spec={})):
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
def test_the_hook_of_the_page_is_called_once_in_a_period(mode: Any, copies: Controller) -> None:
    world = ready(mode, copies)
    before = calls(world)

    world.run(3600)

    assert calls(world) - before == 6
    assert calls(world, "customize") <= 6  # its answer is forgotten after twenty minutes
