"""Text for a terminal or a log: names in a request or a file may hold control characters, which move the cursor."""


def printable(text: str) -> str:
    """Return *text* with ``?`` for each control character, also for line ends."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
