"""Text for a terminal or a log: names in a request or a file may hold control characters, which move the cursor."""


def counted(number: int, noun: str) -> str:
    """Return such as ``1 write`` or ``2 writes``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """Return *text* with ``?`` for each control character, also for line ends."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
