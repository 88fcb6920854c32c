"""The API server: it validates, defaults and stores objects, and notifies watches.

The rule of this package: it stores as a kube-apiserver does, and knows neither Metacontroller nor any controller.

    store               requests, versions, generations, finalizers, watches
    stored_object       an object as it is stored: its metadata, its defaults, canonical quantities, no zero values
    custom_rules        custom resources: what the schemas of CRDs refuse, drop and set by default
    built_in_kinds      the kinds that every cluster serves, the types of their fields, and values as they are stored
    validation          what is refused
    server_side_apply   who owns which field, and how an apply is merged

Start at :mod:`metahook.simulator.apiserver.store`.
"""
