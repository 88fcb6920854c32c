"""The core decides which children a MyResource gets, and which status.

The rule of this package: pure functions of (parent, observed children, related objects, now). No I/O, no clock, no
environment, no logging. The same request gives the same bytes. A user's mistake is a condition, never an exception.
What they return may be remembered in a memo, which the caller owns: see :mod:`app.core.desired.memo`.

    controller         the kinds, the two hooks, and which related objects a sync needs
    sync               from a request to the children and the status
    status             from all that is known to the status, with a module for each condition
    response_children  the desired children, with what they are to remember
    readiness          whether it is Ready, and why not
    facts, override    what a sync knows before it decides, and whether others keep changing a child
    diagnosis          what Pods show of a rollout that does not finish
    desired            the children that the spec asks for, and what they wait for
    previous_status    what the last status remembers for the next children and the next status
    drift              how observed children differ from the desired ones
    the leaves         rollout, reasons, child_metadata, timers, watch

Imports point down this list. Imports api and metahook, without its server and its simulator. Start at
:mod:`app.core.sync`.
"""
