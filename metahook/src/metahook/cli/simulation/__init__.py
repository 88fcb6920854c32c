"""Runs a scenario in the simulator, and shows it as a timeline.

The rule of this package: nothing here decides what happens in the cluster; it only reads the history.

    run     the scenario, from a file or from options; runs it at a pace, with faults, and reports how it ended
    screen  a line for each entry of the history, as plain text, JSON, or on the *terminal*, with colours and pictures
"""
