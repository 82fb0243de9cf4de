"""The record of data set A (coding.md section 1.1), one JSON object a line.

``{"id", "lang", "code", "query", "positive", "positive_kind": "synonym|official",
"hard_negatives": [{"code", "text"}], "soft_negatives": [{"code", "text"}],
"meta": {"generator", "prompt_id", "seed"}}``
"""

from pathlib import Path

from jsonschema import Draft202012Validator

from clinbench.coding.json_lines import read_lines, write_lines

LANGS = ("en", "es", "ca", "it", "pt", "fr")
_TEXT = {"type": "string", "minLength": 1}
_NEGATIVES = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["code", "text"],
        "properties": {"code": _TEXT, "text": _TEXT},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        *("id", "lang", "code", "query", "positive", "positive_kind"),
        *("hard_negatives", "soft_negatives", "meta"),
    ],
    "properties": {
        "id": _TEXT,
        "lang": {"enum": list(LANGS)},
        "code": _TEXT,
        "query": _TEXT,
        "positive": _TEXT,
        "positive_kind": {"enum": ["synonym", "official"]},
        "hard_negatives": _NEGATIVES,
        "soft_negatives": _NEGATIVES,
        "meta": {
            "type": "object",
            "additionalProperties": False,
            "required": ["generator", "prompt_id", "seed"],
            "properties": {"generator": _TEXT, "prompt_id": _TEXT, "seed": {"type": "integer"}},
        },
    },
}
_CHECK = Draft202012Validator(SCHEMA)


def write_examples(path: str | Path, examples: list[dict]) -> None:
    """Write examples as JSON Lines, atomically."""
    write_lines(path, examples)


def read_examples(path: str | Path) -> list[dict]:
    """Read data set A.

    Raises:
        UserError: no such file, or lines that are no example, by number.
    """
    kind = "examples of data set A"
    return read_lines(
        path, "supervision examples", kind, lambda item: (e.message for e in _CHECK.iter_errors(item))
    )
