"""Pages of which a part is compared with the code, a file or a command: each test says which."""

import functools
import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from metahook.envtest.manifests import documents
from metahook.server.limits import DEFAULT_LIMITS
from metahook.server.telemetry.hook_call import HookCall
from metahook.server.telemetry.metrics import Metrics
from metahook.simulator.metacontroller.settings import MODES
from tests.docs.commands import commands
from tests.docs.documents import ROOT, printed
from tests.health.test_examples import find
from tests.requests.builders import MYRESOURCE, NOW, Json
from toolkit.documents import blocks
from website.metrics import PAGE, families


def shown(page: str) -> str:
    """Return the only block of YAML of *page*, a file."""
    (found,) = blocks((ROOT / page).read_text(), "yaml")
    return found


def test_the_status_in_a_file_of_the_page_about_curl_is_that_of_its_response() -> None:
    body = (ROOT / "examples/curl/ready.json").read_bytes()

    assert json.loads(MYRESOURCE.handle_sync(body, NOW).body)["status"] == json.loads(body)["parent"]["status"]


@pytest.mark.parametrize("mode", MODES)
def test_the_scenario_of_the_page_meets_its_expectations(mode: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(shown("docs/reference/scenarios.md"))

    output = printed(f".venv/bin/myresource simulate --apply-strategy {mode} --scenario {file}")

    assert "Quiet" in output or "Stopped" in output
    assert "not met" not in output
    assert "Failed:" not in output


def test_the_kustomization_of_the_page_about_gitops_is_the_one_of_the_example() -> None:
    spec = yaml.safe_load(shown("docs/clusters/gitops.md"))["spec"]

    assert spec.items() <= find("Kustomization", "applications")["spec"].items()


def test_the_page_about_gitops_and_the_file_have_the_same_command() -> None:
    (command,) = (each for each in commands("docs/clusters/gitops.md") if each.startswith("kubectl patch"))

    assert f"#   {command}\n" in (ROOT / "examples/argo-cd/argocd-cm.yaml").read_text()


def without_what_the_page_names(item: Json) -> Json:
    """Return the spec of a CompositeController without label selector, URLs and timeouts."""
    spec: Json = item["spec"]
    spec["parentResource"].pop("labelSelector", None)
    for hook in spec["hooks"].values():
        del hook["webhook"]["url"], hook["webhook"]["timeout"]
    return spec


def test_laptop_yaml_differs_from_the_chart_only_in_what_the_page_says() -> None:
    (chart,) = documents(ROOT / "metacontroller/compositecontroller.yaml")
    laptop = yaml.safe_load(shown("docs/contributing/hook-on-your-laptop.md"))

    assert without_what_the_page_names(laptop) == without_what_the_page_names(chart)


def test_the_workflow_of_the_page_about_metahook_has_the_inputs_of_the_action() -> None:
    action = yaml.safe_load((ROOT / ".github/actions/check/action.yml").read_text())
    *_, used = yaml.safe_load(shown("metahook/docs/metahook.md"))["steps"]

    assert used["with"].keys() == action["inputs"].keys()


@functools.cache
def help_of(command: str) -> str:
    return printed(f".venv/bin/myresource {command} --help")


@pytest.mark.parametrize("page", ["docs/apps/preview.md", "docs/clusters/record.md", "docs/clusters/upgrade.md"])
def test_options_that_the_page_names_are_the_commands(page: str) -> None:
    text = (ROOT / page).read_text()
    for name, options in re.findall(r"myresource (serve|record|replay|diff)((?: --?[a-z-]+(?: [^-\s`|]+)*)+)", text):
        for option in (word for word in shlex.split(options) if word.startswith("--")):
            assert option in help_of(name)


def test_the_queries_of_the_page_about_metrics_ask_for_what_is_served() -> None:
    metrics = Metrics(("/sync",), "1.2.3", DEFAULT_LIMITS)
    metrics.called(HookCall("/sync", 200, 3_000, 900, 0.003))
    series = text_string_to_metric_families(metrics.text().decode())
    served = {sample.name for family in series for sample in family.samples} | {family.name for family in families()}
    asked = set(re.findall(r"metahook_\w+", PAGE.read_text().partition("## Questions and queries")[2]))

    assert len(asked) >= 7
    assert asked <= served
    assert "metahook_sync_total" not in served
