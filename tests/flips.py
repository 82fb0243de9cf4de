"""A bit that flips in a file, on a disk or on its way."""

from pathlib import Path


def flip(file: Path, word: bytes | None) -> None:
    """Flip a bit of the first occurrence of a word, or of the last byte; the file is a new one under its name."""
    content = bytearray(file.read_bytes())
    content[-1 if word is None else content.index(word) + 1] ^= 1
    file.unlink()  # what was loaded is still mapped to the old one
    file.write_bytes(content)
