"""From the facts, and the decision whether the MyResource is Ready, to its status.

The rule of this package: the status reports what is observed, never what was just sent. It changes only with what
is observed, or at a deadline. Ready is never True for a generation whose Deployment is not fully rolled out.

Nouns: each of the *conditions* has a module, with what it can say; *transitions* are their times; the *parent status*
is the result. Start at :mod:`app.core.status.parent_status`.
"""
