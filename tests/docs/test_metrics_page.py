"""The page about metrics asks for what is served."""

import re

from prometheus_client.parser import text_string_to_metric_families

from metahook.server.limits import DEFAULT_LIMITS
from metahook.server.telemetry.hook_call import HookCall
from metahook.server.telemetry.metrics import Metrics
from website.metrics import PAGE, families


def test_the_queries_of_the_page_ask_for_what_is_served() -> None:
    metrics = Metrics(("/sync",), "1.2.3", DEFAULT_LIMITS)
    metrics.called(HookCall("/sync", 200, 3_000, 900, 0.003))
    series = text_string_to_metric_families(metrics.text().decode())
    shown = {sample.name for family in series for sample in family.samples} | {family.name for family in families()}
    asked = set(re.findall(r"metahook_\w+", PAGE.read_text().partition("## Questions and queries")[2]))

    assert len(asked) >= 7
    assert asked <= shown
    assert "metahook_sync_total" not in shown
