"""The API server: it validates, defaults and stores objects, and notifies watches.

The rule of this package: it stores as a kube-apiserver does, and knows neither Metacontroller nor any controller.

    store               requests, versions, generations, finalizers, watches
    metadata_defaults   the metadata that the API server sets on a new object
    stored_object       an object as it is stored: defaults, canonical quantities, no zero values
    custom_defaults     the defaults of CRDs
    validation          what is refused; ``field_types`` and ``schema`` say which type a field has
    ownership           who owns which field; ``server_side_apply`` merges an apply

Start at :mod:`metahook.simulator.apiserver.store`.
"""
