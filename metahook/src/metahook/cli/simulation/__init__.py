"""Runs a scenario in the simulator, and shows it as a timeline.

The rule of this package: nothing here decides what happens in the cluster; it only reads the history.

    scenarios  the scenario to run: from a file, or from options
    faults     changes that arrive late, and responses that are lost
    run        runs a scenario at a pace, and reports how it ended
    timeline   a line for each entry of the history
    screen     where the lines go: plain text, JSON, or the *terminal*, with colours and pictures
"""
