"""Findings: the harm that a careless hook did to the cluster, read from the history.

The rule of this package: it reads, and calls nothing. A rule yields what does one kind of harm.

    rules       the table of all rules, and the function that asks them
    loops       writes and calls that never end, and children that become more and more
    evidence    a history, read as its successful syncs, and what their responses claim

Start at :mod:`metahook.simulator.findings.rules`.
"""

from metahook.simulator.findings.rules import RULES, Violation, findings

__all__ = ["RULES", "Violation", "findings"]
