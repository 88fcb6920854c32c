"""The table of sizes in docs/operate.md: measured where bench/sizing.json has figures, else from the model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.sizing import Costs, Estimate, Setup, deviations, estimate, read

PAGE = Path(__file__).parent / "operate.md"
BEGIN, END = "<!-- sizes: from bench/sizing.json, by make generate -->\n", "<!-- end of sizes -->\n"
HEAD = (
    "| MyResources | shards | watch Pods | `--client-go-qps`, `-burst`, `--workers` | `replicaCount` "
    "| memory of each Metacontroller | its CPU to create all | CPU of the hook "
    "| create all | restart | resync | figures |\n"
)

SETUPS = (
    Setup(100, 1, has_pods=True, qps=500, workers=5),
    Setup(1_000, 1, has_pods=True, qps=500, workers=5),
    Setup(10_000, 4, has_pods=False, qps=250, workers=10),
    Setup(100_000, 16, has_pods=False, qps=100, workers=10),
)
"""The installations of the page; the first two have the flags of the measurement. Limits are for a Metacontroller."""


def page() -> str:
    """Return the page with the table."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    costs, measured = read()
    return f"{before}{BEGIN}\n{table(costs, measured)}\n{accuracy(costs, measured)}\n{END}{rest.partition(END)[2]}"


def table(costs: Costs, measured: Sequence[dict[str, Any]]) -> str:
    """Return a row for each of SETUPS."""
    rows = (_row(setup, costs, _measured(setup, measured)) for setup in SETUPS)
    return HEAD + "|---" * HEAD.count(" | ") + "|---|\n" + "".join(rows)


def accuracy(costs: Costs, measured: Sequence[dict[str, Any]]) -> str:
    """Return the sentence that compares the model with all runs."""
    found = deviations(costs, measured)
    sizes, shards, ratios = zip(*found, strict=True)
    return (
        f"For {min(sizes):,} to {max(sizes):,} MyResources in {min(shards)} to {max(shards)} shards, the model gives "
        f"{min(ratios):.1f} to {max(ratios):.1f} times\nthe CPU that was measured.\n"
    )


def _measured(setup: Setup, runs: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the run of this size with as many shards, if there is one."""
    if not setup.has_pods:
        return None
    return next((run for run in runs if (run["size"], run["shards"]) == (setup.size, setup.shards)), None)


def _row(setup: Setup, costs: Costs, run: dict[str, Any] | None) -> str:
    found = estimate(costs, setup)
    if run:
        cpu, hook = max(run["creation"]["metacontrollers"]), run["creation"]["hook"]
        found = Estimate(run["created"], run["restarted"], found.resync, cpu, hook, max(run["memory"]))
    cells = (
        f"{setup.size:,}",
        str(setup.shards),
        "yes" if setup.has_pods else "no",
        f"{setup.qps}, {setup.qps * 2}, {setup.workers}",
        str(setup.replicas),
        f"{found.memory:,.0f} MiB" if run else f"about {_rounded(found.memory)}",
        _time(found.cpu),
        _time(found.hook),
        _time(found.create),
        _time(found.restart),
        _time(found.resync),
        "measured" if run else "model",
    )
    return f"| {' | '.join(cells)} |\n"


def _rounded(mib: float) -> str:
    """Return *mib* as text of two digits, in GiB from 10 GiB on."""
    return f"{mib / 1024:.0f} GiB" if mib >= 10 * 1024 else f"{float(f'{mib:.2g}'):,.0f} MiB"


def _time(seconds: float) -> str:
    """Return *seconds* as text of about two digits."""
    return next(f"{seconds / unit:{digits}} {name}" for most, unit, digits, name in _UNITS if seconds < most)


_UNITS = ((9.5, 1, ".1f", "s"), (120, 1, ".0f", "s"), (7200, 60, ".0f", "min"), (float("inf"), 3600, ".0f", "h"))
"""Each with the seconds below which it is used, its seconds, and its digits."""
