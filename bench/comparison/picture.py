"""The picture of docs/performance.md: the CPU of each server per request, relative to this hook's, as bars."""

from html import escape

from bench.comparison.results import CHANGED, FASTAPI, GO, HOOK, HTTP_SERVER, Results, Scenario
from bench.comparison.table import CONNECTIONS

WIDTH, LEFT, RIGHT = 760, 110, 90
BAR, HEADING, GAP = 16, 22, 10
COLOURS = {HOOK: "#0969da", HTTP_SERVER: "#bf8700", FASTAPI: "#1a7f37", GO: "#8250df"}
INK, FAINT, BACK = "#24292f", "#57606a", "#f6f8fa"
"""Why a background: the picture is read in light and in dark pages."""


def picture(results: Results) -> str:
    """Return the SVG, with a group of bars for each size of changed requests."""
    groups = [
        (each.scenario, _relative(results, each.scenario)) for each in results.measured if _is_shown(each.scenario)
    ]
    largest = max(value for _, bars in groups for value in bars.values())
    parts, top = [], GAP
    for scenario, bars in groups:
        parts.append(_text(GAP, top + HEADING - 7, _heading(results, scenario), INK, weight=600))
        top += HEADING
        for name, value in bars.items():
            parts.append(_bar(top, name, value, value / largest))
            top += BAR
        top += GAP
    return _svg(top, _description(groups), parts)


def _is_shown(scenario: Scenario) -> bool:
    return (scenario.kind, scenario.connections) == (CHANGED, CONNECTIONS)


def _relative(results: Results, scenario: Scenario) -> dict[str, float]:
    """Return the CPU of each server, divided by this hook's."""
    figures = {name: results.figure(scenario, name) for name in results.processes}
    return {name: 1 / figure.cpu_ratio.median for name, figure in figures.items() if figure}


def _heading(results: Results, scenario: Scenario) -> str:
    figure = results.figure(scenario, HOOK)
    return f"{scenario.size}: {figure.cpu:,.0f} us of CPU per request for this hook" if figure else scenario.size


def _bar(top: float, name: str, value: float, share: float) -> str:
    """Return a row: a name, and a bar whose length is this *share* of the longest."""
    length = share * (WIDTH - LEFT - RIGHT)
    rectangle = f'<rect x="{LEFT}" y="{top + 2}" width="{length:.1f}" height="{BAR - 4}" fill="{COLOURS[name]}"/>'
    middle = top + BAR - 4
    return _text(GAP, middle, name, FAINT) + rectangle + _text(LEFT + length + 6, middle, f"{value:.2f} x", INK)


def _text(left: float, base: float, text: str, colour: str, *, weight: int = 400) -> str:
    place = f'x="{left:.1f}" y="{base:.1f}" font-size="12" font-weight="{weight}" fill="{colour}"'
    return f"<text {place}>{escape(text)}</text>"


def _description(groups: list[tuple[Scenario, dict[str, float]]]) -> str:
    """Return what the bars show, for readers who do not see them."""
    return ". ".join(
        f"Requests of {scenario.size}: {', '.join(f'{name} {value:.2f}' for name, value in bars.items())}"
        for scenario, bars in groups
    )


def _svg(height: float, description: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img"'
    font = 'font-family="Helvetica, Arial, sans-serif"'
    title = "<title>CPU per request, relative to this hook</title>"
    back = f'<rect width="{WIDTH}" height="{height}" rx="6" fill="{BACK}"/>'
    return "\n".join([f"{head} {font}>", title, f"<desc>{description}.</desc>", back, *parts, "</svg>\n"])
