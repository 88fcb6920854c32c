"""The values in a spec, and the models and rules that all parts of it are made of.

    model       what all models share: strict parsing, rules, keys of lists
    scalar      the kinds of strings: names, keys, paths, references
    quantity    amounts of memory, CPU and other resources
    labels      maps of labels and annotations
    selector    requirements on labels
    time_zone   time zones, the same on each node
    names       the names that Kubernetes knows this API by

Imports nothing else of the API.
"""
