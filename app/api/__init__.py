"""Describes the API: MyResource v1alpha1, the spec that users write and the status that they read.

The rule of this package: the models define everything. The meaning of a field, its bounds, its default and the rules
between fields are defined once, at the field, for three readers: the hook (which parses a spec), the API server
(through the CRD made from the models) and the user (through ``kubectl explain``). A parsed spec is canonical: it
holds what the API server would store, so its parts can be copied into a Kubernetes object unchanged.

Nouns: a *model* is one object of the API, a *scalar* one kind of string or number, a *rule* a constraint on a value,
written in CEL for the API server and in Python for the hook; a *description* is the docstring below a field.

    reading       parses the spec of a stored MyResource
    crd           the CustomResourceDefinition
    descriptions  the descriptions of fields
    generated_schema
                  the schema in the CRD, from a file
    spec          what a user writes
    status        what a user reads back
    network, pods, rollouts, scaling, scheduling, volumes
                  parts of the spec
    containers    the application, init containers and sidecars
    probes, resources
                  parts of a container
    scalars       kinds of strings
    model         what all models share: strict parsing, rules, keys of lists, and where a field is copied to
    names         the names that Kubernetes knows this API by

Imports point down this list, to no other package of this repository; no clock, and no I/O except to read
descriptions from its source. Start at :mod:`app.api.spec`.
"""
