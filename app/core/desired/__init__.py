"""The children that a spec asks for, and what stands in their way.

The rule of this package: it looks at the spec, at the objects that the spec names, and at who holds the children's
names. It does not look at how far a rollout is. A Pod template depends on nothing that scaling changes.

Nouns: a *generation* has a validated spec and the *manifests* of its children, which a memo may remember; the *desired
state* lists the children, or says which problem keeps the observed ones; an *optional child* is any but the Deployment;
the *replicas* are the number of Pods, which a *schedule* or an autoscaler may change; a *rollback* is what the
Deployment remembers of earlier images; a *reference* is a use of a ConfigMap or Secret; a *config hash* changes with
what the references read. Start at :mod:`app.core.desired.desired_state`.
"""
