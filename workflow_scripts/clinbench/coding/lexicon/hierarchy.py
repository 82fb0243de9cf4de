"""ICD-10-CM as the grammar reads it: official English titles, and the block of each category."""

from typing import NamedTuple

from clinbench.coding.codes import chapter


class Hierarchy(NamedTuple):
    """Titles of all codes (headings included) and blocks of all categories."""

    titles: dict[str, str]
    blocks: dict[str, str]


def load_hierarchy(last_chapter: int = 21) -> Hierarchy:
    """Read chapters 1 to ``last_chapter`` from the package simple_icd_10_cm, which takes seconds."""
    import simple_icd_10_cm as icd

    codes = [code for code in dict.fromkeys(icd.get_all_codes()) if icd.is_category_or_subcategory(code)]
    codes = [code for code in codes if int(chapter(code[:3])) <= last_chapter]
    titles = {code: " ".join(icd.get_description(code).split()) for code in codes}
    blocks = {
        code: icd.get_ancestors(code)[0] for code in codes if len(code) == 3 and icd.get_ancestors(code)
    }
    return Hierarchy(titles, blocks)
