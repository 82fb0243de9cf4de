"""Ways a file is damaged on its way: cut, overwritten, saved in another encoding, or never what it was said to be."""

from hypothesis import strategies as st

SNIPPETS = [
    *(
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b'"',
        b"\t",
        b",",
        b";",
        b"\n",
        b"\r",
        b"-",
        b" ",
        b"\xc2\xb2",
        b"\xe9",
    ),
    *(b"nan", b"1e999", b"None", b"{}", b"[" * 100_000, b"9" * 5000, b"x" * 200_000, "\u2028".encode()),
]


def usual(whole: bytes) -> list[bytes]:
    """Return ``whole`` after the accidents that happen most: always tried, whatever chance picks."""
    recoded = [_recoded(whole, encoding) for encoding in ("utf-16", "utf-16-le", "latin-1")]
    line_ends = [whole.replace(b"\n", end) for end in (b"\r\n", b"\r", b"")]
    inserted = [
        whole[:at] + sign + whole[at:] for at in (0, len(whole) // 2, len(whole)) for sign in SNIPPETS
    ]
    return [
        b"",
        b"\n",
        whole[: len(whole) // 2],
        whole[: len(whole) * 9 // 10],
        *recoded,
        *line_ends,
        *inserted,
    ]


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Return ``whole`` after one accident, or bytes that have nothing to do with it."""
    at, to = sorted((draw(st.integers(0, len(whole))), draw(st.integers(0, len(whole)))))
    accidents = {
        "random": lambda: draw(st.binary(max_size=300)),
        "cut": lambda: whole[:at],
        "beheaded": lambda: whole[at:],
        "hole": lambda: whole[:at] + whole[to:],
        "twice": lambda: whole[:to] + whole[at:],
        "inserted": lambda: whole[:at] + draw(st.sampled_from(SNIPPETS) | st.binary(max_size=8)) + whole[at:],
        "overwritten": lambda: whole[:at] + draw(st.binary(min_size=1, max_size=8)) + whole[at + 1 :],
        "utf-16": lambda: _recoded(whole, "utf-16"),
        "latin-1": lambda: _recoded(whole, "latin-1"),
        "crlf": lambda: whole.replace(b"\n", b"\r\n"),
        "cr": lambda: whole.replace(b"\n", b"\r"),
    }
    return accidents[draw(st.sampled_from(sorted(accidents)))]()


def _recoded(whole: bytes, encoding: str) -> bytes:
    """Save text in another encoding, what that lacks as a question mark; what is no text stays."""
    try:
        return whole.decode().encode(encoding, "replace")
    except UnicodeDecodeError:
        return whole
