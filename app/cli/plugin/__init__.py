"""``kubectl myresource``: a plugin of kubectl, for MyResources in a cluster.

The rule of this package: kubectl alone reaches the cluster, with its own credentials, options and errors. All else is
pure: what kubectl printed goes in, text comes out.

    commands     the commands, and how kubectl completes them
    kubectl      runs kubectl
    explanation  the status of a MyResource in words, as myresource explain has them, and the last error of a sync
    tree         a MyResource with its children and their Pods, and the state of each
    resources    the resources that a tree reads, which follow from the kinds of children

Imports wrapping of the command line, core, api, and metahook. Start at :mod:`app.cli.plugin.commands`.
"""

from app.cli.plugin.commands import complete, main

__all__ = ["complete", "main"]
