"""The schema of the API: made from the models, and used to read what is stored.

    crd            the CustomResourceDefinition
    structural     a structural schema, from a model
    descriptions   the descriptions of fields: the docstrings below them
    reading        parses the spec of a stored MyResource, or names the first problem in it
    defaults       whether a stored spec lacks a default of the CRD

Imports spec, status, dependencies and values.
"""
