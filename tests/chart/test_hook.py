"""The hook as the chart runs it: graceful shutdown, no rights, ingress from Metacontroller and helm test only."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from metahook.envtest.free_port import free_port
from metahook.server.app import DEFAULT_OPTIONS
from tests.chart.sets import Json, annotations, objects, the
from toolkit.served.process import Served

ROOT = Path(__file__).parents[2]
POD = the("Deployment")["spec"]["template"]["spec"]
(HOOK,) = POD["containers"]
(TEST,) = [item for item in objects() if item["kind"] == "Pod"]
(TEST_CONTAINER,) = TEST["spec"]["containers"]


@pytest.mark.parametrize(("drain", "stop"), [(0, 12), (5, 12), (60, 12), (5, 300)])
def test_there_is_time_to_drain_and_to_finish_running_requests(drain: int, stop: int) -> None:
    pod = the("Deployment", {"drain": drain, "stopTimeout": stop})["spec"]["template"]["spec"]
    timeout = the("CompositeController")["spec"]["hooks"]["sync"]["webhook"]["timeout"]

    assert pod["terminationGracePeriodSeconds"] > drain + stop
    assert int(timeout.rstrip("s")) <= DEFAULT_OPTIONS.stop_timeout


def test_no_shell_is_needed() -> None:
    commands = [*HOOK.get("command", []), *TEST_CONTAINER["command"]]
    handlers = [HOOK["startupProbe"], HOOK["livenessProbe"], HOOK["readinessProbe"]]

    assert "lifecycle" not in HOOK
    assert not [word for word in commands if "sh" in word.split("/")[-1]]
    assert not [handler for handler in handlers if "exec" in handler]


def test_a_rollout_starts_a_new_pod_before_it_stops_an_old_one() -> None:
    rollout = the("Deployment")["spec"]["strategy"]["rollingUpdate"]

    assert (rollout["maxSurge"], rollout["maxUnavailable"]) == (1, 0)
    assert the("Deployment")["spec"]["replicas"] == 2
    assert the("PodDisruptionBudget")["spec"]["maxUnavailable"] == 1


def test_hooks_are_spread_over_nodes_and_zones() -> None:
    spread = POD["topologySpreadConstraints"]

    assert [item["topologyKey"] for item in spread] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    for item in spread:
        assert item["labelSelector"] == the("Deployment")["spec"]["selector"]


def test_the_probes_use_the_health_port() -> None:
    ports = {port["name"]: port["containerPort"] for port in HOOK["ports"]}

    assert ports == {"hooks": 8080, "health": 8081}
    assert HOOK["livenessProbe"]["httpGet"] == {"path": "/livez", "port": "health"}
    assert HOOK["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"}


def test_the_startup_probe_runs_every_second_for_a_minute() -> None:
    startup = HOOK["startupProbe"]

    assert startup["httpGet"] == HOOK["readinessProbe"]["httpGet"]
    assert startup["periodSeconds"] == 1
    assert startup["failureThreshold"] * startup["periodSeconds"] == 60


def test_the_service_exposes_the_hook_port_only() -> None:
    assert [port["targetPort"] for port in the("Service")["spec"]["ports"]] == ["hooks"]


METACONTROLLERS = {
    "key": "app.kubernetes.io/name",
    "operator": "In",
    "values": ["metacontroller-helm", "metacontroller"],
}
"""Pods of Metacontroller's Helm chart 4.17.2, which is called metacontroller-helm, and of its manifests."""


@pytest.mark.parametrize(
    ("values", "namespace", "selector"),
    [
        ({}, "metacontroller", {"matchExpressions": [METACONTROLLERS]}),
        ({"metacontroller": {"namespace": "x", "podLabels": {"app": "y"}}}, "x", {"matchLabels": {"app": "y"}}),
    ],
    ids=["the default", "other labels"],
)
def test_the_network_policy_allows_metacontroller_in_and_nothing_out(
    values: Json, namespace: str, selector: Json
) -> None:
    spec = the("NetworkPolicy", values)["spec"]
    peer = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "podSelector": selector,
    }

    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["ingress"] == [{"from": [peer], "ports": [{"protocol": "TCP", "port": 8080}]}]
    assert "egress" not in spec


def test_the_network_policy_allows_those_to_read_metrics_who_are_named() -> None:
    monitoring = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
    spec = the("NetworkPolicy", {"networkPolicy": {"metricsFrom": [monitoring]}})["spec"]

    assert spec["ingress"][1:] == [{"from": [monitoring], "ports": [{"protocol": "TCP", "port": 8081}]}]


def test_the_hook_has_its_own_service_account_without_token_and_rights() -> None:
    account = the("ServiceAccount")
    bound = [who for item in objects() for who in item.get("subjects", [])]

    assert POD["serviceAccountName"] == account["metadata"]["name"]
    assert account["automountServiceAccountToken"] is False
    assert POD["automountServiceAccountToken"] is False
    assert bound == [{"kind": "ServiceAccount", "name": "metacontroller", "namespace": "metacontroller"}]


def _test_hooks() -> list[Json]:
    return [item for item in objects() if "helm.sh/hook" in annotations(item)]


def test_only_tests_are_helm_hooks() -> None:
    assert [(item["kind"], annotations(item)["helm.sh/hook"]) for item in _test_hooks()] == [
        ("NetworkPolicy", "test"),
        ("Pod", "test"),
    ]


def test_the_pod_of_helm_test_stays_for_its_logs_and_its_network_policy_is_deleted() -> None:
    policies = {item["kind"]: annotations(item)["helm.sh/hook-delete-policy"] for item in _test_hooks()}

    assert policies == {"NetworkPolicy": "before-hook-creation,hook-succeeded", "Pod": "before-hook-creation"}


def test_each_test_hook_has_the_name_of_the_pod_because_helm_3_reads_logs_by_it() -> None:
    assert {item["metadata"]["name"] for item in _test_hooks()} == {TEST["metadata"]["name"]}


def test_the_pod_of_helm_test_is_allowed_in_before_it_runs() -> None:
    policy = next(item for item in objects() if item["kind"] == "NetworkPolicy" and annotations(item))
    (rule,) = policy["spec"]["ingress"]
    (peer,) = rule["from"]

    assert int(annotations(policy)["helm.sh/hook-weight"]) < int(annotations(TEST).get("helm.sh/hook-weight", "0"))
    assert peer["podSelector"]["matchLabels"] == TEST["metadata"]["labels"]
    assert policy["spec"]["podSelector"]["matchLabels"] == the("Deployment")["spec"]["selector"]["matchLabels"]


def run_helm_test(url: str, *ca: str, **changed: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the Pod of helm test with this Python instead of the image's, against the hook at *url*."""
    script, given = TEST_CONTAINER["args"]
    for old, new in changed.items():
        script = script.replace(old, new)
    assert given == "http://myresource-operator.operators.svc"
    command = [sys.executable, *TEST_CONTAINER["command"][1:], script, url, *ca]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


@pytest.fixture(name="url")
def _url(operator: Served) -> str:
    return operator.url


def test_helm_test_passes_if_the_hook_answers(url: str) -> None:
    ended = run_helm_test(url)

    assert ended.returncode == 0, ended.stderr
    assert (
        ended.stdout
        == "the hook answers: a new MyResource has the state Building and the child Deployment helm-test-deployment\n"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"/sync": "/elsewhere"}, "/elsewhere answered with status 404", id="no hook"),
        pytest.param({"-deployment": "-other"}, "/sync returned children", id="another child"),
        pytest.param({"Building": "Ready"}, "Building", id="another state"),
    ],
)
def test_helm_test_fails_if_a_response_is_wrong(url: str, changed: dict[str, Any], said: str) -> None:
    ended = run_helm_test(url, **changed)

    assert ended.returncode == 1
    assert said in ended.stderr


def test_helm_test_retries_and_fails_if_the_hook_is_down() -> None:
    ended = run_helm_test(f"http://127.0.0.1:{free_port()}", **{"PATIENCE = 60": "PATIENCE = 2"})

    assert ended.returncode == 1
    assert ended.stdout.count("waiting for") == 2
    assert "no response from" in ended.stderr
