"""When each alert fires, and when it does not: series with a value for each minute, as promtool reads them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from tests.monitoring.prometheus import ALERTS

Json = dict[str, Any]
Series = Mapping[str, str]

RULES: dict[str, Json] = {
    rule["alert"]: rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]
}
HOOK = 'job="myresource-operator"'
ONE = f'{{{HOOK}, instance="one"}}'
OTHER = f'{{{HOOK}, instance="other"}}'
WEB = '{namespace="default", myresource="web"}'


@dataclass(frozen=True)
class Case:
    """Series, the minute at which they are judged, and the labels of the alert that fires; None if it does not."""

    alert: str
    name: str
    series: Series
    minute: int
    labels: dict[str, str] | None = None

    @property
    def title(self) -> str:
        """The alert, and whether it fires."""
        return f"{self.alert} {'fires' if self.labels is not None else 'does not fire'}: {self.name}"

    @property
    def test(self) -> Json:
        """The case, in the format of promtool."""
        series = [{"series": name, "values": values} for name, values in self.series.items()]
        judged = {"alertname": self.alert, "eval_time": f"{self.minute}m", "exp_alerts": self._expected()}
        return {"name": self.title, "interval": "1m", "input_series": series, "alert_rule_test": [judged]}

    def _expected(self) -> list[Json]:
        if self.labels is None:
            return []
        annotations = dict(RULES[self.alert]["annotations"])
        for label, value in self.labels.items():
            for name, text in annotations.items():
                annotations[name] = text.replace(f"{{{{ $labels.{label} }}}}", value)
        return [{"exp_labels": {**self.labels, **RULES[self.alert]["labels"]}, "exp_annotations": annotations}]


def _with(base: str, **labels: str) -> str:
    return base[:-1] + "".join(f', {name}="{value}"' for name, value in labels.items()) + "}"


def refusals(code: str, values: str, limit: str = "none") -> Series:
    """Return refusals with status *code*, as a counter."""
    return {"metahook_refusals_total" + _with(ONE, hook="/sync", code=code, limit=limit): values}


def calls(values: str) -> Series:
    """Return calls that got a 200."""
    return {"metahook_calls_total" + _with(ONE, hook="/sync", code="200"): values}


def condition(name: str, values: str, reason: str = "CrashLooping") -> Series:
    """Return a condition of the MyResource web."""
    return {"kube_myresource_condition" + _with(WEB, type=name, reason=reason): values}


def queue(values: str, controller: str = "myresource") -> Series:
    """Return the lengths of Metacontroller's queue."""
    return {f'workqueue_depth{{job="metacontroller", name="CompositeController-{controller}"}}': values}


JOB = {"job": "myresource-operator"}
SYNC = {**JOB, "hook": "/sync"}
OBJECT = {"namespace": "default", "myresource": "web"}
SYNCED = "metahook_syncs_total" + _with(ONE, hook="/sync", reason="Available")
EXISTS = {f"kube_myresource_info{WEB}": "1x120", f"up{ONE}": "1x120"}
EVERY_10_MINUTES = " ".join(f"{number}x9" for number in range(12))
WRONG = "metahook_installation_findings_total" + _with(ONE, hook="/sync", finding="OutdatedCRD")
SHARD, LIMIT = "myresource-12", "max_in_flight"
QUEUE_LONG = "MyResourceMetacontrollerQueueLong"
GENERATION, OBSERVED = f"kube_myresource_generation{WEB}", f"kube_myresource_observed_generation{WEB}"

CASES = [
    Case("MyResourceHookDown", "all are down", {f"up{ONE}": "0x20", f"up{OTHER}": "0x20"}, 10, {}),
    Case("MyResourceHookDown", "there is no target", {}, 10, {}),
    Case("MyResourceHookDown", "one of two is up", {f"up{ONE}": "0x20", f"up{OTHER}": "1x20"}, 10),
    Case("MyResourceHookDown", "for 4 minutes", {f"up{ONE}": "1x10 0x20"}, 14),
    Case("MyResourceHookDown", "another job is up", {'up{job="other"}': "1x20"}, 10, {}),
    Case("MyResourceStatusesStale", "3 minutes after an outage", {f"up{ONE}": "1x30 0x5 1x30"}, 39, {}),
    Case("MyResourceStatusesStale", "the hook had no target", {f"up{ONE}": "1x30 stale _x5 1x30"}, 39, {}),
    Case("MyResourceStatusesStale", "all is synced again", {f"up{ONE}": "1x30 0x5 1x30"}, 48),
    Case("MyResourceStatusesStale", "the hook is still down", {f"up{ONE}": "1x30 0x30"}, 39),
    Case("MyResourceStatusesStale", "half a minute", {f"up{ONE}": "1x30 0 1x30"}, 39),
    Case("MyResourceStatusesStale", "another replica was up", {f"up{ONE}": "1x30 0x5 1x30", f"up{OTHER}": "1x60"}, 39),
    Case("MyResourceStatusesStale", "just installed", {f"up{ONE}": "_x30 1x30"}, 39),
    Case("MyResourceHookCallsRefused", "1 of 7", {**refusals("413", "0+10x60"), **calls("0+60x60")}, 30, JOB),
    Case("MyResourceHookCallsRefused", "all", refusals("401", "0+10x60"), 30, JOB),
    Case("MyResourceHookCallsRefused", "1 of 100", {**refusals("413", "0+1x60"), **calls("0+100x60")}, 30),
    Case("MyResourceHookCallsRefused", "429", refusals("429", "0+10x60"), 30),
    Case("MyResourceHookCallsFail", "twice in an hour", refusals("500", "0x10 1x10 2x60"), 35, SYNC),
    Case("MyResourceHookCallsFail", "more than an hour ago", refusals("500", "0x10 1x10 2x100"), 100),
    Case("MyResourceHookCallsFail", "503", refusals("503", "0+1x60"), 30),
    Case("MyResourceHookOverloaded", "for 50 minutes", refusals("429", "0+6x60", LIMIT), 50, {**JOB, "limit": LIMIT}),
    Case("MyResourceHookOverloaded", "for 10 minutes", refusals("429", "0+6x10 60x50"), 50),
    Case("MyResourceHookNotCalled", "no sync for 75 minutes", {**EXISTS, SYNCED: "100x120"}, 75, {}),
    Case("MyResourceHookNotCalled", "no sync ever", EXISTS, 75, {}),
    Case("MyResourceHookNotCalled", "a sync every 10 minutes", {**EXISTS, SYNCED: EVERY_10_MINUTES}, 75),
    Case("MyResourceHookNotCalled", "there is no MyResource", {f"up{ONE}": "1x120", SYNCED: "100x120"}, 75),
    Case("MyResourceHookNotCalled", "the hook is down", {**EXISTS, f"up{ONE}": "0x120"}, 75),
    Case("MyResourceInstallationWrong", "each call", {WRONG: "0+1x60"}, 40, {**JOB, "finding": "OutdatedCRD"}),
    Case("MyResourceInstallationWrong", "it is repaired", {WRONG: "0+1x5 5x60"}, 50),
    Case("MyResourceStalled", "for 20 minutes", condition("Stalled", "1x30"), 20, OBJECT),
    Case("MyResourceStalled", "for 10 minutes", condition("Stalled", "0x10 1x20"), 20),
    Case("MyResourceStalled", "no longer", condition("Stalled", "1x15 stale"), 20),
    Case("MyResourceNotReady", "for an hour", condition("Ready", "0x70"), 65, OBJECT),
    Case(
        "MyResourceNotReady",
        "for an hour, with two reasons",
        {**condition("Ready", "0x30 stale"), **condition("Ready", "_x30 0x60", "ReplicasUnavailable")},
        65,
        OBJECT,
    ),
    Case("MyResourceNotReady", "Stalled fires", {**condition("Ready", "0x70"), **condition("Stalled", "1x70")}, 65),
    Case("MyResourceNotReady", "suspended", condition("Ready", "0x70", "Suspended"), 65),
    Case("MyResourceNotReady", "Ready again", condition("Ready", "0x50 1x50"), 65),
    Case("MyResourceNotObserved", "a change", {GENERATION: "3x20", OBSERVED: "2x20"}, 15, OBJECT),
    Case("MyResourceNotObserved", "no status", {GENERATION: "1x20"}, 15, OBJECT),
    Case("MyResourceNotObserved", "observed", {GENERATION: "3x20", OBSERVED: "3x20"}, 15),
    Case(QUEUE_LONG, "50", queue("50x30"), 20, {"name": "CompositeController-myresource"}),
    Case(QUEUE_LONG, "50 in a shard", queue("50x30", SHARD), 20, {"name": f"CompositeController-{SHARD}"}),
    Case(QUEUE_LONG, "5", queue("5x30"), 20),
]
