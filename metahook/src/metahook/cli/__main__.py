"""``python -m metahook.cli`` is ``metahook``, also where scripts are not on the path."""

from metahook.cli.main import main

if __name__ == "__main__":
    main()
