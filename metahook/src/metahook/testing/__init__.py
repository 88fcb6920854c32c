"""Parents that Hypothesis generates from a CRD, and fixtures for pytest, for tests of hooks.

The rule of this package: a generated parent is one that an API server stores, except for CEL rules, which are not read.

    generated_parents  a strategy for the parents of a CRD
    pytest_plugin      the fixtures, which pytest finds by the entry point of the distribution

Imports simulator and protocol. Needs the extra ``test``. Start at :mod:`metahook.testing.generated_parents`.
"""

from metahook.testing.generated_parents import NotGenerated, parents

__all__ = ["NotGenerated", "parents"]
