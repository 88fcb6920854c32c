"""What Pods show of a rollout that does not finish, and what to change in the spec.

The rule of this package: it gives a reason another name and message, and never makes Ready True. It reads a Pod's
status, and copies no free text of it into a message, no counts, and no names of Pods or nodes: a message stays the same
for as long as its cause does.

Nouns: the *revision* is the Pods of the newest ReplicaSet; a *cause* is why one of them is not available; a
*disruption* is the end of a whole Pod; *advice* explains a cause, in words that name what to change in the spec. Start
at :mod:`app.core.diagnosis.pod_diagnosis`.
"""
