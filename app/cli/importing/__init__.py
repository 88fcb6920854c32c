"""Turns Deployments, and what is beside them, into MyResources, and says what they can't have.

The rule of this package: it guesses nothing, and nothing is lost in silence. It writes what it can, lets the operator
make the objects again, and compares: whatever the given ones have and the made ones lack is left out, and said.

    importing     one Deployment: its MyResource, and the differences
    beside        its Service, autoscaler, budget and route
    differences   how two objects differ, and in which words
    translation   the fields of a Deployment as those of a spec, and which of them a spec can't have
    canonical     objects without what the API server sets anyway, and with one form for one meaning
    given         the shape of the objects that are read

Imports point down this list, then to core and api. It reads no files: the command does, app.cli.import_.
"""
