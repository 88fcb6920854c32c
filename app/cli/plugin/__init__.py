"""``kubectl myresource``: a plugin of kubectl, for MyResources in a cluster.

The rule of this package: kubectl alone reaches the cluster, with its own credentials, options and errors. All else is
pure: what kubectl printed goes in, text comes out.

    commands     the commands, and how kubectl completes them
    kubectl      runs kubectl
    explanation  the status of a MyResource in words, as myresource explain has them
    tree         a MyResource with its children and their Pods
    state        the state of an object, in a few words
    events       the last error of a sync, from the Events of a MyResource

Imports wrapping of the command line, core, and metahook. Start at :mod:`app.cli.plugin.commands`.
"""

from app.cli.plugin.commands import complete, main

__all__ = ["complete", "main"]
