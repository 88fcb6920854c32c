"""The tables and the picture of made-up results, and those of the docs."""

from xml.etree import ElementTree as ET

from bench.comparison.goals import GOALS
from bench.comparison.picture import picture
from bench.comparison.results import FASTAPI, HOOK, HTTP_SERVER, Scenario
from bench.comparison.table import cpu_table, latency_table, process_table, tables
from docs.performance import results as committed
from tests.bench.made_up import LARGE, results

CHANGED = Scenario("6 KB", "changed", 5)
SVG = "{http://www.w3.org/2000/svg}"


def test_a_table_has_the_cpu_of_the_hook_and_its_ratio_to_each_peer() -> None:
    assert cpu_table(results()).splitlines()[2] == (
        "| 6 KB unchanged | 100 us | 0.71 (0.71-0.71) | 0.40 (0.40-0.40) | 2.50 (2.50-2.50) |"
    )


def test_a_table_has_the_latencies_and_the_process_of_each_server() -> None:
    assert f"| {FASTAPI} | 2.50, 5.00 |" in latency_table(results())
    assert f"| {HTTP_SERVER} | 60 MiB | 500 ms |" in process_table(results())


def test_sizes_whose_latencies_are_not_measured_have_no_table_of_them() -> None:
    assert latency_table(results(LARGE)) == ""
    assert "| 200 KB unchanged |" in tables(results(LARGE))


def test_the_bars_of_the_picture_are_in_proportion_and_described() -> None:
    root = ET.fromstring(picture(results(CHANGED)))  # noqa: S314 - we wrote it
    lengths = [float(bar.attrib["width"]) for bar in root.iter(f"{SVG}rect") if "rx" not in bar.attrib]
    hook, http_server, fastapi, go = lengths

    assert abs(http_server / hook - 1.4) < 0.02
    assert abs(fastapi / hook - 2.5) < 0.02
    assert abs(go / hook - 0.4) < 0.02
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}desc") == "Requests of 6 KB: this hook 1.00, http.server 1.40, FastAPI 2.50, Go 0.40."


def test_the_committed_results_have_every_server_and_every_goal() -> None:
    found = committed()

    assert next(iter(found.processes)) == HOOK
    assert len(found.processes) == 4
    assert all(set(each.figures) == set(found.processes) for each in found.measured)
    assert all(goal.ratio(found) is not None for goal in GOALS)
