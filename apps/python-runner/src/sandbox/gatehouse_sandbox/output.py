import io
import sys


class CappedText(io.TextIOBase):
    """Keeps the first characters that are written and drops the rest without complaint."""

    def __init__(self, limit):
        self.kept, self.left, self.truncated = [], limit, False

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError('text is written here')
        part = text[: self.left]
        if part:
            self.kept.append(part)
            self.left -= len(part)
        self.truncated |= len(part) < len(text)
        return len(text)

    def text(self):
        return ''.join(self.kept)


def capture(limit):
    """From now on stdout and stderr go to one text of at most that many characters."""
    sys.stdout = sys.stderr = output = CappedText(limit)
    return output
