"""The objects in a request, as they are observed, and what they record about who set their fields.

    children         those that the parent controls
    related          those that the rules of customize select, whoever owns them
    child            one observed child, with the parts of its JSON that are decoded when they are asked for
    last_applied     what Metacontroller last applied to a child
    managed_fields   who owns which fields

Imports bodies and objects.
"""
