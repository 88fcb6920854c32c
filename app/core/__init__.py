"""The core decides which children a MyResource gets, and which status.

The rule of this package: pure functions of (parent, observed children, related objects, now). No I/O, no clock, no
environment, no logging. The same request gives the same bytes. A user's mistake is a condition, never an exception.
What they return may be remembered in a memo, which the caller owns: see :mod:`app.core.desired.memo`.

    sync, customize  the two hooks; :mod:`app.core.controller` makes a controller of them
    status           from all facts to Ready, its reason, and the other conditions
    diagnosis        what Pods show of a rollout that does not finish
    desired          the children that the spec asks for, and what they wait for
    drift            how observed children differ from the desired ones
    the leaves       rollout, reasons, child_metadata, timers, watch

Imports point down this list. Imports api and metahook, without its server and its simulator. Start at
:mod:`app.core.sync`.
"""
