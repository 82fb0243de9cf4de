"""The record of data set A (coding.md section 1.1), one JSON object a line.

``{"id", "lang", "code", "query", "positive", "positive_kind": "synonym|official",
"hard_negatives": [{"code", "text"}], "soft_negatives": [{"code", "text"}],
"meta": {"generator", "prompt_id", "seed"}}``
"""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from clinbench.errors import UserError, refuse
from clinbench.files import write_text

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
    write_text(path, "".join(json.dumps(example, ensure_ascii=False) + "\n" for example in examples))


def read_examples(path: str | Path) -> list[dict]:
    """Read data set A.

    Raises:
        UserError: no such file, or lines that are no example, by number.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file of supervision examples.")
    examples, problems = [], []
    for at, line in enumerate(Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            example = json.loads(line)
        except json.JSONDecodeError as error:
            problems.append(f"line {at}: not valid JSON ({error.msg})")
            continue
        problems += [f"line {at}: {error.message}" for error in _CHECK.iter_errors(example)]
        examples.append(example)
    refuse(problems, f"{path}: these lines are no examples of data set A:")
    return examples
