"""What is counted, and that the number of series stays bounded."""

import pytest
from prometheus_client import Counter
from prometheus_client.parser import text_string_to_metric_families

from metahook.protocol.installation import InstallationProblem
from metahook.protocol.request import CustomizeRequest
from metahook.protocol.response import Summary
from metahook.server.app import create_app
from metahook.server.lifecycle.health import create_health_app
from metahook.server.limits import DEFAULT_LIMITS, Limits
from metahook.server.telemetry.hook_call import HookCall
from metahook.server.telemetry.metrics import Family, Metrics
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.hooks.minimal import TINY, customize_body, sync_body
from toolkit.served.asgi import call

HOOKS = ("/sync", "/customize")
PARENT = CustomizeRequest.decode(customize_body()).parent

Series = tuple[str, frozenset[tuple[str, str]]]


def families() -> list[Family]:
    """Return all families that a server with TLS and tokens has, except those of the process."""
    metrics = Metrics((), "", DEFAULT_LIMITS)
    metrics.measure_certificate(lambda: 0)
    metrics.measure_files({})
    return metrics.families


@pytest.fixture
def metrics() -> Metrics:
    return Metrics(HOOKS, "1.2.3", Limits())


def served(metrics: Metrics) -> dict[Series, float]:
    """Return the value of each series that ``/metrics`` serves."""
    text = call(create_health_app(lambda: True, metrics), "/metrics", method="GET").text
    families = text_string_to_metric_families(text)
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return served(metrics).get((f"metahook_{name}", frozenset(labels.items())), 0)


def synced(before: str = "Building", after: str = "Available", children: int = 0, kept: int = 0) -> HookCall:
    return HookCall("/sync", 200, 3_000, 900, 0.004, summary=Summary(PARENT, before, after, children, kept))


def test_calls_are_counted_by_hook_and_status_code(metrics: Metrics) -> None:
    for made in (synced(), synced(), HookCall("/customize", 400, 10, 20, 0.001)):
        metrics.called(made)

    assert value(metrics, "calls_total", hook="/sync", code="200") == 2
    assert value(metrics, "calls_total", hook="/customize", code="400") == 1


def test_the_hooks_own_metrics_are_served_beside_these() -> None:
    own = Counter("licenses_used", "Licenses.", registry=None)
    metrics = Metrics(HOOKS, "1.2.3", Limits(), [own])

    own.inc(3)

    assert served(metrics)["licenses_used_total", frozenset()] == 3
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        Metrics(HOOKS, "1.2.3", Limits(), [Counter("metahook_calls", "Mine.", registry=None)])


def test_durations_and_sizes_are_distributions(metrics: Metrics) -> None:
    metrics.called(synced())

    assert value(metrics, "call_duration_seconds_bucket", hook="/sync", le="0.0025") == 0
    assert value(metrics, "call_duration_seconds_bucket", hook="/sync", le="0.005") == 1
    assert value(metrics, "request_size_bytes_sum", hook="/sync") == 3_000
    assert value(metrics, "response_size_bytes_sum", hook="/sync") == 900


def test_a_refusal_of_the_hook_has_the_size_of_the_body(metrics: Metrics) -> None:
    body = sync_body(parent=None)

    response = call(create_app(TINY, telemetry=Telemetry(metrics=metrics)), "/sync", body)

    assert response.status_code == 400
    assert value(metrics, "request_size_bytes_sum", hook="/sync") == len(body)


def test_a_transition_is_a_reason_that_changed(metrics: Metrics) -> None:
    metrics.called(synced("Building", "Available"))
    metrics.called(synced("Available", "Available"))

    assert value(metrics, "syncs_total", hook="/sync", reason="Available") == 2
    assert value(metrics, "reason_transitions_total", hook="/sync", before="Building", after="Available") == 1
    assert value(metrics, "reason_transitions_total", hook="/sync", before="Available", after="Available") == 0


def test_children_are_counted_and_syncs_that_kept_them(metrics: Metrics) -> None:
    metrics.called(synced(children=2))
    metrics.called(synced(children=3, kept=3))

    assert value(metrics, "children_listed_total", hook="/sync") == 5
    assert value(metrics, "kept_syncs_total", hook="/sync") == 1


def test_a_customize_call_is_no_sync(metrics: Metrics) -> None:
    metrics.called(HookCall("/customize", 200, 10, 20, 0.001, summary=Summary(PARENT, rules=3)))

    assert value(metrics, "calls_total", hook="/customize", code="200") == 1
    assert not [name for name, _ in served(metrics) if name == "metahook_syncs_total"]


def test_findings_are_counted_by_name(metrics: Metrics) -> None:
    summary = Summary(PARENT, findings=(InstallationProblem.ResponsesNotStrict,))
    metrics.called(HookCall("/sync", 200, 10, 20, 0.001, summary=summary))

    assert value(metrics, "installation_findings_total", hook="/sync", finding="ResponsesNotStrict") == 1


def test_refusals_and_closed_connections_are_counted_by_limit(metrics: Metrics) -> None:
    metrics.refused("/sync", 413, "max_body")
    metrics.refused("/sync", 400, "")
    metrics.closed("idle_timeout")

    assert value(metrics, "refusals_total", hook="/sync", code="413", limit="max_body") == 1
    assert value(metrics, "refusals_total", hook="/sync", code="400", limit="none") == 1
    assert value(metrics, "connections_closed_total", limit="idle_timeout") == 1


def test_numbers_of_the_moment_are_asked_for(metrics: Metrics) -> None:
    metrics.measure(in_flight=lambda: 3, connections=lambda: 7, late=lambda: 1)
    metrics.measure_certificate(lambda: 1_800_000_000.0)
    metrics.measure_files({"tokens": lambda: 2})

    assert value(metrics, "calls_in_flight") == 3
    assert value(metrics, "connections") == 7
    assert value(metrics, "calls_late") == 1
    assert value(metrics, "certificate_expiry_timestamp_seconds") == 1_800_000_000
    assert value(metrics, "unusable_files", files="tokens") == 2


def test_versions_limits_and_the_process_are_shown(metrics: Metrics) -> None:
    shown = served(metrics)

    assert any(name == "metahook_build_info" and ("version", "1.2.3") in labels for name, labels in shown)
    assert value(metrics, "limit", limit="max_connections") == Limits().max_connections
    assert shown["process_resident_memory_bytes", frozenset()] > 0


def test_two_servers_in_a_process_count_apart(metrics: Metrics) -> None:
    metrics.called(synced())

    assert value(Metrics(HOOKS, "1", Limits()), "calls_total", hook="/sync", code="200") == 0


def hostile(metrics: Metrics, number: int) -> None:
    """Count what clients can choose: paths."""
    metrics.called(HookCall(f"/canary-{number}", 404, number, 20, 0.001))
    metrics.refused(f"/canary-{number}", 404, "")


def test_what_clients_choose_makes_no_series(metrics: Metrics) -> None:
    hostile(metrics, 0)
    before = set(served(metrics))

    for number in range(100):
        hostile(metrics, number)

    assert set(served(metrics)) == before
    assert "canary" not in str(before)


def test_a_path_of_a_client_as_a_label_would_be_found() -> None:
    trusting = Metrics([f"/canary-{number}" for number in range(2)], "1", Limits())
    hostile(trusting, 0)
    before = set(served(trusting))

    hostile(trusting, 1)

    assert set(served(trusting)) > before


def test_the_page_names_all_that_is_served(metrics: Metrics) -> None:
    metrics.measure_certificate(lambda: 0)
    metrics.measure_files({})
    text = call(create_health_app(lambda: True, metrics), "/metrics", method="GET").text
    shown = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE metahook_")}

    assert shown == {family.name for family in families()}


def test_the_labels_are_those_of_the_page(metrics: Metrics) -> None:
    metrics.called(synced())
    metrics.refused("/sync", 413, "max_body")
    metrics.closed("idle_timeout")
    by_name = {family.name: set(family.labels) for family in families()}

    for name, labels in served(metrics):
        if name in by_name:
            assert {label for label, _ in labels} == by_name[name]
