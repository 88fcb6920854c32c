"""Suspension: a response that leaves the observed children as they are, also where others changed them.

What was applied last is not enough: Metacontroller's dynamic-apply would set it again. There the response has the
observed values, which costs one write of Metacontroller's own annotation on a child for each change that others make;
it can't be avoided, because that annotation is a copy of the response. Under server-side apply nothing is written: a
field that others change is no longer in what was applied last.
"""

from metahook import Children, Manifest, with_observed_values


def left_as_observed(children: Children) -> list[Manifest]:
    """Return each of the *children* as it was applied last, less what others removed, and with the observed values."""
    return [with_observed_values(_with_observed_metadata(child, children), children) for child in children.kept()]


def _with_observed_metadata(child: Manifest, children: Children) -> Manifest:
    """Return *child* with the observed values of its labels and annotations."""
    observed = children.observed(child)
    if observed is None:
        return child
    metadata = dict(child["metadata"])
    for field, texts in (("labels", observed.metadata.labels), ("annotations", observed.metadata.annotations)):
        if field in metadata:
            metadata[field] = {key: (texts or {})[key] for key in metadata[field] if key in (texts or {})}
    return {**child, "metadata": metadata}
