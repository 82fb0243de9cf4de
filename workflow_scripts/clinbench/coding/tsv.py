"""Tab-separated text without quoting, as every publisher of mentions and codes writes it.

Cells are never interpreted: ``NA`` stays ``NA``, ``0389`` keeps its zero and a
quotation mark is a character like any other.
"""

from clinbench.errors import UserError, refuse


def decode(data: bytes, origin: str, fallback: str | None = None) -> tuple[str, str]:
    """Decode a text file, dropping a byte-order mark.

    Args:
        data: the file's bytes.
        origin: path or archive member, for messages.
        fallback: encoding to try where the bytes are not UTF-8, or None to refuse them.

    Returns:
        The text and the encoding it was read in.

    Raises:
        UserError: the bytes are neither UTF-8 nor, if given, ``fallback``.
    """
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError as error:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UserError(f"{origin}: UTF-16 text. Save it as UTF-8.") from error
        if fallback:
            try:
                return data.decode(fallback), fallback
            except UnicodeDecodeError:
                pass
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{origin}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8; the file looks like "
            "Latin-1 or Windows-1252. Save it as UTF-8."
        ) from error


def split_cells(text: str, origin: str, columns: int) -> list[list[str]]:
    """Split text into rows of exactly ``columns`` cells; blank lines at the end are dropped.

    Row ``i`` (0-based) is line ``i + 1`` of the file. LF and CRLF are accepted.

    Raises:
        UserError: lines with another number of cells, each with its line number.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise UserError(f"{origin}: the file is empty; {columns} tab-separated columns were expected.")
    rows = [line.split("\t") for line in lines]
    wrong = [(at, row) for at, row in enumerate(rows, 1) if len(row) != columns]
    if len(wrong) == len(rows):
        raise UserError(f"{origin}, line 1: {len(rows[0])} column(s), expected {columns}. {_hint(lines[0])}")
    refuse(
        (f"line {at}: {len(row)} column(s), expected {columns}: {_shown(row)}" for at, row in wrong),
        f"{origin}: lines with a wrong number of tab-separated columns (a tab or line break inside a text?):",
    )
    return rows


def _hint(line: str) -> str:
    """Guess the separator of a file that is not tab-separated."""
    for sign, name in ((";", "semicolon"), (",", "comma"), ("|", "bar")):
        if "\t" not in line and sign in line:
            return f"The file looks {name}-separated; export it with tabs."
    return "Columns are separated by tabs, without quoting."


def _shown(row: list[str]) -> str:
    text = " | ".join(row)
    return text if len(text) <= 80 else text[:79] + "…"
