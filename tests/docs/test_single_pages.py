"""Pages of which a part is compared with the code, a file or a command: each test says which."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from app.core.status.parent_status import TERMS
from metahook.envtest.cluster import documents
from metahook.server.options import DEFAULT_OPTIONS
from metahook.server.telemetry import HookCall, Metrics
from metahook.simulator.metacontroller.settings import MODES
from tests.api.apiserver import refusals
from tests.cli.command import call
from tests.docs.commands import commands
from tests.docs.documents import ROOT, printed
from tests.health.test_examples import find
from tests.properties.state_transitions import STATES
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.documents import blocks
from toolkit.served.process import CLIENT, Served
from website.fields import below
from website.metrics import PAGE, families
from website.site import pages
from website.status import FIELDS, example
from website.status import SCHEMA as OF_STATUS


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


def test_the_page_about_gitops_has_the_kustomization_and_the_command_of_the_examples() -> None:
    spec = yaml.safe_load(shown("docs/clusters/gitops.md"))["spec"]
    (command,) = (each for each in commands("docs/clusters/gitops.md") if each.startswith("kubectl patch"))

    assert spec.items() <= find("Kustomization", "applications")["spec"].items()
    assert f"#   {command}\n" in (ROOT / "examples/argo-cd/argocd-cm.yaml").read_text()


def test_laptop_yaml_differs_from_the_chart_only_in_label_selector_urls_and_timeouts() -> None:
    (chart,) = documents(ROOT / "metacontroller/compositecontroller.yaml")
    laptop = yaml.safe_load(shown("docs/contributing/hook-on-your-laptop.md"))

    for item in (chart, laptop):
        item["spec"]["parentResource"].pop("labelSelector", None)
        for hook in item["spec"]["hooks"].values():
            del hook["webhook"]["url"], hook["webhook"]["timeout"]
    assert laptop["spec"] == chart["spec"]


@pytest.mark.parametrize(
    ("name", "page"), [("check", "metahook/docs/metahook.md"), ("validate", "docs/apps/editors.md")]
)
def test_the_workflow_of_a_page_has_the_inputs_of_the_action(name: str, page: str) -> None:
    action = yaml.safe_load((ROOT / f".github/actions/{name}/action.yml").read_text())
    *_, used = yaml.safe_load(blocks((ROOT / page).read_text(), "yaml")[-1])["steps"]

    assert used["with"].keys() == action["inputs"].keys()


@pytest.mark.parametrize("page", ["docs/apps/preview.md", "docs/clusters/record.md", "docs/clusters/upgrade.md"])
def test_options_that_the_page_names_are_the_commands(page: str) -> None:
    text = (ROOT / page).read_text()
    for name, options in re.findall(r"myresource (serve|record|replay|diff)((?: --?[a-z-]+(?: [^-\s`|]+)*)+)", text):
        known = call(name, "--help").out
        assert [word for word in shlex.split(options) if word.startswith("--") and word not in known] == []


def test_the_queries_of_the_page_about_metrics_ask_for_what_is_served() -> None:
    metrics = Metrics(("/sync",), DEFAULT_OPTIONS)
    metrics.called(HookCall("/sync", 200, 3_000, 900, 0.003))
    series = text_string_to_metric_families(metrics.text().decode())
    served = {sample.name for family in series for sample in family.samples} | {family.name for family in families()}
    asked = set(re.findall(r"metahook_\w+", PAGE.read_text().partition("## Questions and queries")[2]))

    assert len(asked) > 5
    assert asked <= served
    assert "metahook_sync_total" not in served


def test_each_address_of_the_hook_that_a_page_or_help_names_is_served(operator: Served) -> None:
    texts = [
        call("serve", "--help").out,
        *(page.read_text() for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]),
    ]
    for port, url in (("8080", operator.url), ("8081", operator.health_url)):
        named = {path.rstrip(".") for path in re.findall(rf"http://127\.0\.0\.1:{port}(/[\w./-]*)", "".join(texts))}

        named.discard("/")  # the page of development mode
        assert named
        assert [path for path in named if CLIENT.get(f"{url}{path}").status_code == 404] == []


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/start/try-it.md", "docs/start/first-myresource.md"]
)
def test_a_page_names_targets_that_the_makefile_has(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^    make ([a-z-]+)", (ROOT / page).read_text(), re.MULTILINE))

    assert named
    assert named <= targets


# docs/reference/status.md


def test_the_example_of_the_status_has_every_field_and_the_api_server_stores_it() -> None:
    status = example()["status"]
    absent = {"override", "updatedReplicas", "countedAt", "address", "url", "schedule"}

    assert {*status, *absent} == {*OF_STATUS["properties"]}
    assert refusals(status, OF_STATUS) == []
    assert {*FIELDS} == {path for path, _ in below(OF_STATUS)}


def test_the_page_has_every_state_that_the_tests_know() -> None:
    assert list(STATES) == [term.name for term in TERMS if term.kind == "state"]


# Others


def test_a_figure_for_an_evaluation_is_in_the_section_that_the_page_names() -> None:
    page = ROOT / "docs/start/evaluate.md"
    table = page.read_text().partition("| what | figure | from |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| .* \| (.*) \| \[\w+\]\((\S+)#(\S+)\) \|$", table, re.MULTILINE)

    assert len(rows) == len(table.splitlines()) > 3
    for figure, source, anchor in rows:
        _, *parts = re.split(r"^#+ (.*)$", (page.parent / source).read_text(), flags=re.MULTILINE)
        headings = [heading.lower().replace(" ", "-") for heading in parts[::2]]
        section = parts[1::2][headings.index(anchor)]
        numbers = re.findall(r"\d[\d.,]*\w*", figure)  # with units that belong to them
        assert numbers
        assert [each for each in numbers if not re.search(rf"(?<![\d.,]){re.escape(each)}(?!\w|[.,]\d)", section)] == []


def test_a_resync_takes_as_long_as_its_requests() -> None:
    page = (ROOT / "docs/clusters/scale.md").read_text()
    sizes = re.findall(r"^\| ([\d,]+) \| (\d+) \| \w+ \| (\d+), .* \| ([\d.]+) s \| \w+ \|$", page, re.MULTILINE)

    assert len(sizes) > 3
    for size, shards, qps, seconds in sizes:
        assert float(seconds) == pytest.approx(int(size.replace(",", "")) / int(shards) / int(qps), rel=0.02)


def test_a_page_whose_command_lists_children_names_httproutes() -> None:
    texts = {page: page.read_text() for page in pages() if ",ingress,hpa,pdb" in page.read_text()}

    assert len(texts) > 3
    assert [page for page, text in texts.items() if "`,httproutes`" not in text] == []


def test_a_page_says_first_who_it_is_for() -> None:
    first = re.compile(r"# .*\n\n(?:English \| .*\n\n)?For ")
    folders = {page: page.relative_to(ROOT).parts[:-1] for page in pages()}
    english = [
        page
        for page, parts in folders.items()
        if len(parts) == 2 and parts[0] in ("docs", "metahook") and ".zh" not in page.suffixes
    ]

    assert len(english) > 50
    assert [page for page in english if not first.match(page.read_text())] == []
