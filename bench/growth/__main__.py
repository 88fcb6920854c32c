"""Measures growth alone: ``python -m bench.growth``, or with fewer requests for the memory: ``... 20000``."""

import sys

from bench.growth.memory import REQUESTS
from bench.growth.report import main

if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if sys.argv[1:] else REQUESTS))
