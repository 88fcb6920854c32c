"""Turns Deployments, and what is beside them, into MyResources, and says what they can't have.

The rule of this package: it guesses nothing, and nothing is lost in silence. It writes what it can, lets the operator
make the objects again, and compares: whatever the given ones have and the made ones lack is left out, and said.

    importing     one Deployment: its MyResource, and what to say about it
    neighbours    its Service, autoscaler, budget and route
    forms         in which autoscaler and route are compared, and what they become
    comparison    how the Deployment that the operator makes differs from the given one, and why
    translation   the fields of a Deployment as leaves of a spec
    tree          a spec that grows leaf by leaf, for as long as it is valid
    meaning       a Deployment in one form for one meaning
    schema        objects as an API server stores them, and how two of them differ

Imports point down this list, then to core and api. It reads no files: the command does, app.cli.import_.
"""
