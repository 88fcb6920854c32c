"""MyResources in files: what is wrong with one. :mod:`metahook.commands` reads the files."""
