"""Kinds: the objects that most hooks have as children or related objects, as observed.

The rule of this package: a struct has the fields that a hook reads, and no others; msgspec skips the rest. For a kind
of your own, write a subclass of :class:`metahook.Object` in your own project.

Nouns: *Deployment*, *Service*, *ConfigMap*, *Secret* and *Pod*, each in a module with its parts; *defaults* are what
the API server sets in them.

Imports protocol.
"""
