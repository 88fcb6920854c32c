"""What a sync knows, before it decides: the parts of the facts.

The rule of this package: it finds out, and judges nothing. What only some specs need is found when it is asked for.

Nouns: a *wait* is for a drift to end, or a rollout to complete, and has a beginning; a child is *stuck* once the wait
for it has lasted too long; *deadlines* tell when a rollout is late; *overriding* is another user or controller that
keeps changing a child; *scaling* is a change of the number of Pods by an autoscaler; *template records* are what the
Deployment remembers; the *previous status* is the one of the last sync.
Start at :mod:`app.core.status.facts.facts`.
"""
