"""Measures what the check of the installation costs: ``make bench``. Prints a ratio of CPU times, as bench.pods does.

The request is a small one, of which the check is the largest part: a MyResource at rest, without related objects. It is
compared with a request of the same size whose CompositeController is in a field that is not read.
"""

import time
from statistics import median

from tests.build import MYRESOURCE, NOW, Json
from tests.installation import RIGHT, request

ROUNDS = 60
CALLS = 50
MAX_RATIO = 1.05
"""Maximum CPU time of a sync with the check, relative to one without."""

MANAGED_FIELDS: Json = {"managedFields": [{"manager": "helm", "fieldsV1": {f"f:{each}": {} for each in range(200)}}]}
"""As many bytes as Helm and kubectl add to the CompositeController."""


def cpu(body: bytes) -> float:
    """Return the CPU seconds of some syncs of *body*."""
    start = time.process_time()
    for _ in range(CALLS):
        MYRESOURCE.answer_sync(body, NOW)
    return time.process_time() - start


def main() -> int:
    """Print the ratio; return 1 if it exceeds the limit."""
    checked = request({**RIGHT, "metadata": {**RIGHT["metadata"], **MANAGED_FIELDS}})
    unchecked = checked.replace(b'"controller":{"kind"', b'"other_name":{"kind"')
    rounds = [(cpu(checked), cpu(unchecked)) for _ in range(ROUNDS)]
    ratio = median(checks / other for checks, other in rounds)
    within = ratio <= MAX_RATIO
    print(f"the installation is checked: {ratio:.3f} times the CPU of a small sync of {len(checked)} bytes without it")
    print(f"{'within' if within else 'NOT within'} the limit of {MAX_RATIO} times")
    return 0 if within else 1


if __name__ == "__main__":
    raise SystemExit(main())
