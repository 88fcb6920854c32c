"""The parts of docs/performance.md about growth and starts, and the picture, from the committed results."""

from bench.growth.picture import picture as drawn
from bench.growth.results import FILE as GROWTH
from bench.growth.results import goals as growth_goals
from bench.growth.results import table as growth_table
from bench.startup.results import FILE as STARTUP
from bench.startup.results import goals as startup_goals
from bench.startup.results import table as startup_table


def parts() -> dict[str, str]:
    """Return the parts of the page, by the name in the comments around them."""
    growth, startup = GROWTH.committed(), STARTUP.committed()
    return {
        "growth": growth_table(growth),
        "goals of growth": _bullets(growth_goals(growth)),
        "startup": startup_table(startup),
        "goals of startup": _bullets(startup_goals(startup)),
    }


def picture() -> str:
    """Return the picture of the committed results."""
    return drawn(GROWTH.committed())


def _bullets(sentences: list[str]) -> str:
    return "".join(f"- {sentence}\n" for sentence in sentences)
