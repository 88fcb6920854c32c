"""The API server: it validates, defaults and stores objects, and notifies watches.

The rule of this package: it stores as a kube-apiserver does, and knows neither Metacontroller nor any controller.

    store               requests, versions, generations, finalizers, watches
    stored_object       an object as it is stored: its metadata, its ``defaults``, canonical quantities, no zero values
    custom_defaults     the admission of custom resources: defaults, and what a status may have
    custom_rules        what the schemas of CRDs refuse and drop; ``string_rules`` has their patterns and formats
    built_in_kinds      the kinds that every cluster serves, and the types of their fields
    scalars             values such as quantities and times, as they are stored
    validation          what is refused; ``field_types`` has the types of what all objects have, ``names`` the names
    server_side_apply   who owns which field, and how an apply is merged

Start at :mod:`metahook.simulator.apiserver.store`.
"""
