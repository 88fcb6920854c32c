"""Scenarios: what a user does to a cluster, and what is expected to follow, as a file has it.

    scenario    the steps and expectations, as read from YAML or JSON
    runner      runs them in a world, one by one, up to the first one that fails
    path        paths into an object, in which a step names a field

Start at :mod:`metahook.simulator.scenarios.scenario`.
"""
