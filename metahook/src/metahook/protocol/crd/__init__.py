"""A CustomResourceDefinition, made from the structs that a hook reads its parents by.

    custom_resource     the definition
    structural_schema   the schema in it

Imports objects.
"""
