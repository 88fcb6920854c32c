"""The manifest of each kind of child, and of its Pods, as a valid spec asks for it.

The rule of this package: a manifest depends on the parent, its spec, and the number of Pods; the Deployment also on
hashes of configuration and a rollback. Nothing here looks at observed objects, but for what of the template they have.
Its table, which says who wants which kind, is :mod:`app.core.desired.children`.
"""
