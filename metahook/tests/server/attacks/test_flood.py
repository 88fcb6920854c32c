"""Overload: 500 clients that send requests as fast as they are answered."""

import re

import pytest

from toolkit.served.process import served
from toolkit.served.senders import MOST_MEMORY, request, send
from toolkit.widgets import ready_request

pytestmark = pytest.mark.attacks

REQUEST = request(ready_request())
SENDERS = 500
SECONDS = 8.0
RETRY_AFTER = re.compile(rb"\r\nretry-after: [1-5]\r\n", re.IGNORECASE)


def test_500_senders_get_200_or_429_with_a_delay_and_a_single_one_is_then_served() -> None:
    with served() as hook:
        found = send(hook.port, lambda: REQUEST, senders=SENDERS, seconds=SECONDS)
        peak = hook.memory("VmHWM")
        after = send(hook.port, lambda: REQUEST, senders=1, times=50)

    assert set(found.codes) == {"200", "429"}
    assert all(RETRY_AFTER.search(head) for head in found.heads)
    assert peak <= MOST_MEMORY
    assert set(after.codes) == {"200"}
