"""Plays a scenario in metahook's simulator, and shows it as a timeline.

The rule of this package: a *story* is what a scenario file says, checked; the *timeline* is what happened, in lines;
the *screen* is where the lines go. :mod:`app.cli.simulate` is the command.
"""
