"""Decides: which children a MyResource shall have, and what is true of it now.

The rule of this package: pure functions of (parent, observed children, related objects, now). No I/O, no clock, no
environment, no logging. The same request gives the same bytes. A user's mistake is a condition, never an exception.

Nouns: the *plan* is what the spec asks for, as children to list; the *config* is what the application reads, as marks
that change with it; *dependencies* are what the first start waits for; a *gap* is what separates the observed children
from the plan; *leftovers* are fields that stay on a child and that nobody asks for any more; the *diagnosis* is the
*cause* that Pods tell; the *facts* are all that the status is decided from; a *reason* is the one word for them;
*moments* are when time alone changes it. The *policy* is the operator's, for all.

Imports api and metahook, without its server and its simulator. Start at :mod:`app.core.sync`.
"""
