"""What is counted, by a served hook, and that the number of series stays bounded."""

import itertools
import threading
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from prometheus_client import Counter, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.applications import Starlette

from metahook import Controller, SyncRequest, SyncResponse
from metahook.protocol.installation import InstallationProblem
from metahook.protocol.request import CustomizeRequest
from metahook.protocol.response import Summary
from metahook.server import DEFAULT_LIMITS, Limits, Metrics, ServerOptions, create_app
from metahook.server.serve import HookServer, health_app
from metahook.server.telemetry import HookCall
from toolkit.hooks.minimal import TINY, controller, customize_body, sync_body
from toolkit.served.asgi import call
from toolkit.served.process import CLIENT, WIDGETS, served
from toolkit.served.thread import PATIENCE
from toolkit.widgets import ready_request

PARENT = CustomizeRequest.decode(customize_body()).parent
OPTIONS = ServerOptions(Limits(max_body=500), version="1.2.3")

Series = tuple[str, frozenset[tuple[str, str]]]


def series(metrics: Metrics) -> dict[Series, float]:
    """Return the value of each series of *metrics*."""
    found = text_string_to_metric_families(metrics.text().decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value for family in found for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float:
    return series(metrics).get((f"metahook_{name}", frozenset(labels.items())), 0)


def counted(*calls: tuple[str, bytes], options: ServerOptions = OPTIONS, hook: Controller = TINY) -> Metrics:
    """Return the metrics of an app with *hook* after these *calls*, of a path with a body."""
    app = create_app({"": hook, "/bad": controller(fails)}, options)
    for path, body in calls:
        call(app, path, body)
    metrics: Metrics = app.state.service.metrics
    return metrics


def fails(_: SyncRequest) -> SyncResponse:
    raise KeyError


def test_calls_and_refusals_are_counted_by_hook_code_and_limit() -> None:
    metrics = counted(*[("/sync", sync_body())] * 3, ("/bad/sync", sync_body()), ("/sync", b"x" * 501), ("/x", b""))

    assert [line for line in metrics.text().decode().splitlines() if line.startswith(("metahook_ca", "metahook_ref"))][
        :3
    ] == [
        'metahook_calls_total{code="200",hook="/sync"} 3.0',
        'metahook_calls_total{code="500",hook="/bad/sync"} 1.0',
        'metahook_calls_total{code="413",hook="/sync"} 1.0',
    ]
    assert value(metrics, "refusals_total", hook="/bad/sync", code="500", limit="none") == 1
    assert value(metrics, "refusals_total", hook="/sync", code="413", limit="max_body") == 1
    assert value(metrics, "refusals_total", hook="other", code="404", limit="none") == 1
    assert value(metrics, "syncs_total", hook="/sync", reason="None") == 3


def test_an_app_that_is_mounted_counts_by_the_paths_that_it_has() -> None:
    app, outer = create_app(TINY, OPTIONS), FastAPI()
    outer.mount("/hooks", app)
    for path, body in (("/hooks/sync", sync_body()), ("/hooks/sync", b"x" * 501), ("/hooks/x", b"")):
        call(outer, path, body)
    metrics = app.state.service.metrics

    assert value(metrics, "calls_total", hook="/sync", code="200") == 1
    assert value(metrics, "refusals_total", hook="/sync", code="413", limit="max_body") == 1
    assert value(metrics, "refusals_total", hook="other", code="404", limit="none") == 1


def test_durations_and_sizes_are_distributions_also_of_refused_bodies() -> None:
    good, bad = sync_body(), sync_body(parent=None)
    metrics = counted(("/sync", good), ("/sync", bad))

    assert value(metrics, "call_duration_seconds_count", hook="/sync") == 2
    assert value(metrics, "call_duration_seconds_bucket", hook="/sync", le="10.0") == 2
    assert value(metrics, "request_size_bytes_sum", hook="/sync") == len(good) + len(bad)


def test_syncs_are_counted_by_what_they_decided() -> None:
    metrics = Metrics(["/sync"], OPTIONS)
    problem = InstallationProblem.ResponsesNotStrict
    for summary in (
        Summary(PARENT, "Building", "Available", 2, 0),
        Summary(PARENT, "Available", "Available", 3, 3, findings=(problem,)),
        Summary(PARENT, rules=3),
    ):
        metrics.called(HookCall("/sync", 200, 3_000, 900, 0.004, summary=summary))

    assert value(metrics, "syncs_total", hook="/sync", reason="Available") == 2
    assert value(metrics, "reason_transitions_total", hook="/sync", before="Building", after="Available") == 1
    assert value(metrics, "reason_transitions_total", hook="/sync", before="Available", after="Available") == 0
    assert value(metrics, "kept_syncs_total", hook="/sync") == 1
    assert value(metrics, "installation_findings_total", hook="/sync", finding=problem.name) == 1


def test_the_hooks_own_metrics_are_served_beside_these() -> None:
    own = Counter("licenses_used", "Licenses.", registry=None)
    metrics = Metrics(["/sync"], ServerOptions(collectors=(own,)))

    own.inc(3)

    assert series(metrics)["licenses_used_total", frozenset()] == 3
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        Metrics(["/sync"], ServerOptions(collectors=(Counter("metahook_calls", "Mine.", registry=None),)))


def test_two_servers_in_a_process_count_apart() -> None:
    counted(("/sync", sync_body()))

    assert value(counted(), "calls_total", hook="/sync", code="200") == 0


@pytest.mark.parametrize(("hooks", "is_bounded"), [(["/sync"], True), ([f"/x{n}" for n in range(9)], False)])
def test_what_clients_choose_makes_no_series(hooks: list[str], *, is_bounded: bool) -> None:
    """The second server trusts its clients, and shows that they would be seen."""
    metrics = Metrics(hooks, OPTIONS)
    seen = set[int]()
    for number in range(9):
        metrics.called(HookCall(f"/x{number}", 404, number, 20, 0.001))
        seen.add(len(series(metrics)))

    assert (len(seen) == 1) is is_bounded


class Slow(Collector):
    """Counts something that takes a while."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def collect(self) -> Iterator[Metric]:
        """Return no metrics, once it may go on."""
        self.begun.set()
        assert self.go_on.wait(PATIENCE)
        return iter(())

    def describe(self) -> Iterator[Metric]:
        """Return that there are none."""
        return iter(())


def health_with(collector: Collector) -> Starlette:
    """Return the app of health, of a hook with *collector*."""
    return health_app(HookServer(create_app(TINY, ServerOptions(collectors=(collector,)))))


def test_health_and_metrics_are_served_and_a_slow_metric_of_the_hook_holds_up_no_probe() -> None:
    slow = Slow()
    app = health_with(slow)
    scraped = list[int]()
    scraping = threading.Thread(target=lambda: scraped.append(call(app, "/metrics", method="GET").status_code))
    scraping.start()
    assert slow.begun.wait(PATIENCE)

    assert [call(app, path, method="GET").status_code for path in ("/livez", "/readyz", "/x")] == [200, 503, 404]
    slow.go_on.set()
    scraping.join(PATIENCE)
    assert scraped == [200]


def test_scrapes_get_503_while_a_metric_of_the_hook_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "scrape_timeout", 0)
    slow = Slow()
    app = health_with(slow)

    assert [call(app, "/metrics", method="GET").status_code for _ in range(2)] == [503, 503]
    slow.go_on.set()


def test_a_process_serves_the_families_of_the_page_with_their_labels() -> None:
    with served(*WIDGETS, "--max-connections=7") as running:
        for content in (ready_request(), b"{}"):
            CLIENT.post(f"{running.url}/sync", content=content, headers={"content-type": "application/json"})
        text = CLIENT.get(f"{running.health_url}/metrics").text
    found = {family.name: family for family in text_string_to_metric_families(text)}
    families = {each.name.removesuffix("_total"): each for each in Metrics((), ServerOptions()).families}

    assert {name for name in found if name.startswith("metahook_")} == {*families}
    for name, family in families.items():
        labels = {label for sample in found[name].samples for label in sample.labels} - {"le"}
        assert labels <= set(family.labels)
    limits = {sample.labels["limit"]: sample.value for sample in found["metahook_limit"].samples}
    assert limits == {
        **{name: getattr(DEFAULT_LIMITS, name) for name in limits},
        "max_connections": 7,
    }
    assert {"process_resident_memory_bytes", "python_info"} <= found.keys()
    assert not [
        each for each in itertools.chain(*(family.samples for family in found.values())) if "_created" in each.name
    ]
