"""Findings: the harm that a careless hook did to the cluster, read from the history.

The rule of this package: it reads, and calls nothing. A rule yields what does one kind of harm.

    rules              the table of all rules, those that need a few lines, and the function that asks them
    loops              writes and calls that never end, and children that become more and more
    purity             responses that depend on more than their request
    listed_children    children that a response lists twice, or that nothing watches
    claimed_results    what a response claims, and whether the observed children support it
    evidence           a history, read as its successful syncs

Start at :mod:`metahook.simulator.findings.rules`.
"""

from metahook.simulator.findings.rules import RULES, Violation, findings

__all__ = ["RULES", "Violation", "findings"]
