"""Describes: MyResource v1alpha1, what a user may write and what they read back.

The rule of this package: the models say everything. What a field means, its bounds, its default, the rules between
fields: all of it stands once, at the field, and serves three readers: the hook (which parses a spec), the API server
(through the CRD made from the models) and the user (through ``kubectl explain``). A spec that parses is canonical: it
holds what the API server would store, so its parts can be put into a Kubernetes object as they are.

Nouns: a *model* is one object of the API, a *scalar* one kind of string or number, a *rule* a sentence that binds
fields together, said in CEL for the API server and in Python for the hook.

Imports nothing of ours; no I/O, no clock. Start at :mod:`app.api.spec`.
"""
