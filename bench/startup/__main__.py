"""Measures how ``serve`` starts, alone: ``python -m bench.startup``."""

from bench.startup.report import main

if __name__ == "__main__":
    raise SystemExit(main())
