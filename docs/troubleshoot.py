"""The troubleshooting page: its beginning is written by hand, its reasons come from app/core/reasons.py."""

from pathlib import Path

from app.core.reasons import REASONS, Outlook, Reason

PAGE = Path(__file__).parent / "troubleshoot.md"
BEGIN = "<!-- made by make generate from app/core/reasons.py -->\n"

PROOFS = {
    "Terminating": ("e2e.deletion.held_by_a_finalizer_it_is_terminating_and_keeps_its_children",),
    "InvalidSpec": ("replay.an_invalid_spec_keeps_what_was_applied_for_the_spec_before",),
    "ChildTerminating": (
        "e2e.deletion.a_child_held_by_a_finalizer_is_terminating_and_is_recreated_once_it_is_gone",
        "e2e.deletion.a_service_of_a_myresource_that_is_gone_is_terminating_not_a_conflict",
    ),
    "NameConflict": (
        "e2e.neighbours.a_foreign_service_of_our_name_is_left_unchanged_and_reported",
        "e2e.neighbours.the_command_of_the_message_hands_a_foreign_service_over",
        "e2e.neighbours.an_object_of_another_controller_is_left_unchanged",
        "e2e.stuck.an_orphan_is_unchanged_until_its_label_hands_it_to_a_namesake",
    ),
    "DependencyNotFollowed": (
        "core.desired.dependencies.a_kind_that_the_operator_does_not_watch_is_refused_by_a_condition",
    ),
    "WaitingForDependencies": ("core.desired.dependencies.the_first_start_waits_and_says_for_what",),
    "ConfigNotFound": (
        "core.desired.config_hash.what_is_missing_is_reported_and_keeps_the_hash_while_the_rest_follows_the_spec",
    ),
    "NotApplied": (
        "e2e.stuck.a_foreign_deployment_is_left_unchanged_and_the_status_is_not_applied",
        "e2e.stuck.a_deployment_that_a_policy_refuses_is_not_applied",
        "e2e.stuck.an_event_has_the_reason_of_a_policy",
        "e2e.stuck.an_update_of_a_config_hash_that_a_policy_refuses_is_not_applied",
        "e2e.stuck.our_deployment_is_created_within_a_minute_after_the_foreign_one_is_deleted",
    ),
    "Overridden": (
        "e2e.stuck.an_image_that_a_policy_rewrites_is_overridden_and_the_message_names_the_path",
        "simulator.metacontroller_costs.variables_in_another_order_follow_only_under_server_side_apply",
    ),
    "LeftoverFields": (
        "e2e.apply_strategy.the_command_of_the_message_removes_fields_that_server_side_apply_leaves",
        "e2e.apply_strategy.the_command_of_the_message_removes_fields_dropped_during_the_change",
    ),
    "Building": ("e2e.life.a_new_one_is_building_and_then_ready",),
    "RollingOut": ("e2e.failures.while_pods_start_slowly_it_is_rolling_out",),
    "ProgressDeadlineExceeded": (
        "e2e.failures.a_rollout_without_progress_fails_until_the_image_changes",
        "e2e.failures.old_pods_keep_serving_during_a_bad_rollout",
    ),
    "ReplicaFailure": (
        "e2e.failures.a_quota_on_pods_is_reported_until_it_is_raised",
        "e2e.failures.a_limit_range_that_refuses_pods_is_reported_until_memory_is_lowered",
        "e2e.failures.a_restricted_namespace_refuses_the_baseline_profile_and_takes_the_restricted_one",
        "e2e.failures.a_missing_object_that_the_spec_names_is_named",
        "e2e.failures.a_surge_over_a_quota_never_fails_and_ends_by_itself",
    ),
    "Paused": (
        "e2e.failures.a_deployment_paused_by_hand_is_not_ready_until_it_goes_on",
        "e2e.failures.a_deployment_paused_after_its_rollout_failed_is_paused",
        "e2e.failures.a_deployment_paused_under_a_quota_is_paused",
    ),
    "ReplicasUnavailable": ("e2e.failures.a_pod_that_is_lost_makes_it_degraded_until_there_is_another",),
    "ImagePullFailed": (
        "core.diagnosis.causes.an_image_that_can_not_be_pulled_is_said_in_the_same_words_whatever_the_kubelet_calls_it",
    ),
    "ContainerConfigError": ("core.diagnosis.advice.what_is_missing_is_named_if_the_spec_uses_it",),
    "RunContainerError": (
        "core.diagnosis.pod_messages.what_can_not_start_is_said_in_the_same_words_and_never_sends_to_logs",
        "recorded_pods.the_reasons_are_those_of_the_causes_one_after_the_other",
    ),
    "OOMKilled": ("core.diagnosis.causes.too_much_memory_is_said_in_the_same_words_from_the_first_time_on",),
    "CrashLooping": (
        "core.diagnosis.causes.a_crash_loop_is_said_in_the_same_words_in_all_its_states",
        "core.diagnosis.causes.a_crash_loop_is_not_ready_also_while_its_deployment_is_complete",
    ),
    "Evicted": (
        "core.diagnosis.disruptions.an_eviction_is_told_by_what_was_exceeded_in_the_words_of_the_spec",
        "core.diagnosis.disruptions.a_replacement_that_is_evicted_too_makes_the_next_one_unstable",
    ),
    "Preempted": ("recorded_pods.the_reasons_are_those_of_the_causes_one_after_the_other",),
    "PodRejected": ("core.diagnosis.disruptions.what_befalls_a_pod_has_its_own_cause",),
    "NodeLost": ("recorded_pods.the_reasons_are_those_of_the_causes_one_after_the_other",),
    "Unschedulable": ("core.diagnosis.causes.a_pod_that_no_node_takes_is_said_without_the_schedulers_counts",),
    "ProbeFailing": ("core.diagnosis.causes.a_probe_fails_once_it_had_all_the_time_that_it_allows_and_ten_seconds",),
    "ScaledToZero": ("e2e.life.scaled_to_zero_it_is_ready_and_has_no_pods",),
    "Available": ("e2e.verdicts.ready_is_true_only_for_a_deployment_that_is_fully_rolled_out",),
}
"""The tests that prove each reason; tests/docs/proofs.py reads them from the page."""


def page() -> str:
    """Return the page, with the reasons after its beginning."""
    return PAGE.read_text().partition(BEGIN)[0] + BEGIN + _overview() + "".join(map(_section, REASONS.values()))


def _overview() -> str:
    links = {
        outlook: [_link(reason) for reason in REASONS.values() if reason.outlook is outlook] for outlook in Outlook
    }
    rows = "".join(f"| {outlook.value} | {', '.join(found)} |\n" for outlook, found in links.items())
    return f"\n| meaning | reasons |\n|---|---|\n{rows}"


def _link(reason: Reason) -> str:
    return f"[{reason.name}](#{reason.name.lower()})"


def _section(reason: Reason) -> str:
    proofs = f"<!-- tests: {', '.join(PROOFS.get(reason.name, ()))} -->"
    return (
        f"\n### {reason.name}\n\n{reason.outlook.value}.\n\n"
        f"- **Message:** {plain(reason.outlined())} {proofs}\n"
        f"- **Why:** {plain(reason.cause)} {proofs}\n"
        f"- **What to do:** {plain(reason.remedy)}\n"
    )


def plain(text: str) -> str:
    """Return *text* so that Markdown shows it as it is."""
    return text.replace("<", "&lt;").replace(">", "&gt;")
