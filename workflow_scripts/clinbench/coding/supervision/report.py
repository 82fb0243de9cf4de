"""What data set A holds, in counts."""

from collections import Counter
from collections.abc import Mapping, Sequence

from clinbench.coding.codes import level
from clinbench.coding.supervision.leaks import leak_report
from clinbench.coding.supervision.validators import Validators


def summary(
    examples: list[dict],
    langs: Sequence[str],
    validators: Validators,
    evaluation: Mapping[str, set[str]],
) -> dict:
    """Count examples by language, chapter, code and kind, what was refused and why, and the leaks."""
    codes = Counter(example["code"] for example in examples)
    chapters = Counter(int(level(example["code"], "chapter")) for example in examples)
    by_lang = Counter(example["lang"] for example in examples)
    noise = Counter(name for example in examples for name in example["meta"]["prompt_id"].split("~")[1:])
    return {
        "examples": len(examples),
        "by_language": {lang: by_lang[lang] for lang in langs},
        "by_chapter": {str(number): chapters[number] for number in sorted(chapters)},
        "codes": len(codes),
        "categories": len({code[:3] for code in codes}),
        "largest_code_share": max(codes.values()) / len(examples) if examples else None,
        "positives": dict(sorted(Counter(example["positive_kind"] for example in examples).items())),
        "noise": dict(sorted(noise.items())),
        "refused": dict(validators.refused),
        "leaks": leak_report(examples, evaluation),
    }
