"""From facts to a status: whether the MyResource is Ready, why not, and the other conditions.

The rule of this package: the status reports what is observed, never what was just sent. It changes only with what
is observed, or at a deadline. Ready is never True for a generation whose Deployment is not fully rolled out.

Nouns: the *facts* are all that the decision depends on; *readiness* is the ordered list of rules that gives the reason;
the *messages* say it in words; the other *conditions* have fixed sentences, or templates; *transitions* are their
times; the *parent status* is the result; the *glossary* explains it. Start at :mod:`app.core.status.parent_status`.
"""
