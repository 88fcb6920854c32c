"""The commands: each module but *options* has one as ``command``, and is imported when that is called.

    check      what is wrong with a hook and its manifests
    dev        serves a hook while it is written
    diff       what an edit of a parent changes in the cluster
    new        writes a project with a hook that runs
    record     records the requests to a hook
    render     prints the children and the status that a hook returns
    replay     how a hook responds to recorded requests
    simulate   runs a hook in a simulated cluster
    options    the options that they share, and what they make of them

Imports checking, comparison, simulation, project, and all below them.
"""
