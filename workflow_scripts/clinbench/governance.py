"""Small cells: counts of fewer than ten patients are hidden before a shared file is written.

See docs/credentialed.md for the reasons; ``clinbench.shareable`` says what of the rest may leave the site.
"""

from collections.abc import Callable, Sequence

SMALLEST = 10  # a cell that counts fewer patients is not shown
HIDDEN = f"<{SMALLEST}"  # what stands in its place, in every format
SUPPRESSED = "hidden"  # what stands for a subgroup that is too small, or would tell such a one
SPLITS = ("train", "val", "test")
POSITIVES = {"positives", "positives_of_each", "label_positives"}
COUNTS = {
    "n",
    "stays",
    "patients",
    "docs",
    "groups",
    "negatives",
    "group_stays",
    "group_positives",
} | POSITIVES
OF_ONE = ("min", "max")  # lengths of stay that are a single patient's
NUMBERS = ("value", "std", "ci_low", "ci_high")
COMPARED = ("difference", "se", "se_units", "se_seeds", "df", "interval", "p", "p_bootstrap", "p_delong")


def suppress(counts: Sequence[int], smallest: int = SMALLEST) -> list[int | None]:
    """Hide counts under ``smallest``, and so many more that no hidden one follows from the sum.

    Args:
        counts: parts of a whole whose sum is known, such as the stays of each sex.
        smallest: the least count that is shown.

    Returns:
        The counts, None where hidden. If one alone would be hidden, the next smallest is too.

    Example:
        >>> suppress([120, 4, 56]), suppress([120, 56])
        ([120, None, None], [120, 56])
    """
    order = sorted(range(len(counts)), key=counts.__getitem__)
    hidden = [i for i in order if counts[i] < smallest]
    if len(hidden) == 1 and len(order) > 1:
        hidden.append(order[1])
    return [None if i in hidden else count for i, count in enumerate(counts)]


def small_group(positives: int, negatives: int, least: int = SMALLEST) -> bool:
    """Tell whether a group has fewer than ``SMALLEST`` members, or fewer than ``least`` positives or negatives."""
    return min(positives, negatives) < least or positives + negatives < SMALLEST


def suppressed_groups(
    positives: Sequence[int], negatives: Sequence[int], least: int = SMALLEST
) -> list[bool]:
    """Tell of which groups of a partition the counts are hidden, so that those of no small one follow from the others.

    If a group is small (``small_group``), so many of the next smallest are hidden with it that there are two at least,
    small no more together.

    Args:
        positives, negatives: members of each group, none of them empty.
        least: see ``small_group``.

    Example:
        >>> suppressed_groups([40, 3, 12], [300, 5, 60])
        [False, True, True]
    """
    sizes = [one + other for one, other in zip(positives, negatives, strict=True)]

    def is_small(members: list[int]) -> bool:
        return small_group(sum(positives[i] for i in members), sum(negatives[i] for i in members), least)

    hidden = [i for i in range(len(sizes)) if is_small([i])]
    for i in sorted(range(len(sizes)), key=sizes.__getitem__):
        if hidden and i not in hidden and (len(hidden) < 2 or is_small(hidden)):
            hidden.append(i)
    return [i in hidden for i in range(len(sizes))]


def small(count: object) -> bool:
    """Tell whether a count, as a number or text, lies from 1 to ``SMALLEST`` − 1."""
    try:
        return 0 < float(count) < SMALLEST
    except (TypeError, ValueError):
        return False


def hide(value: object) -> object:
    """Hide the small cells of a run record, of cohort statistics or of a metrics record, at any depth.

    Counts (keys ``COUNTS``) from 1 to 9 become ``HIDDEN``, and so does what would give one away: a count of
    another split or label, positives where the negatives are few. The share of hidden positives, the numbers of a
    metrics row on few samples, and the shortest and the longest stay become None.

    Args:
        value: JSON-able; it is not changed.

    Example:
        >>> hide({"stays": 300, "positives": 4, "share": 0.013})
        {'stays': 300, 'positives': '<10', 'share': None}
    """
    if isinstance(value, list):
        return [hide(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {key: hide(one) for key, one in value.items()}
    for key in COUNTS & value.keys():
        found[key] = _each(value[key], lambda count: HIDDEN if small(count) else count)
    if isinstance(labels := value.get("label_positives"), dict):
        found["label_positives"] = dict(zip(labels, _marked(list(labels.values())), strict=True))
    if all(isinstance(value.get(name), dict) for name in SPLITS):
        for name, counts in zip(SPLITS, _parts([value[name] for name in SPLITS]), strict=True):
            found[name] = _without_hints(found[name] | counts)
    if isinstance(bins := value.get("bins"), list):
        found["bins"] = _hidden_bins(bins)
    if value.get("rows") and isinstance(value.get("facts"), dict):
        found["facts"] = _without_hints(found["facts"], found["rows"][0].get("n"))
    return _without_hints(found)


def _each(value: object, change: Callable[[object], object]) -> object:
    """Change a count, or each of a list or dict of them."""
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    if isinstance(value, dict):
        return {key: _each(one, change) for key, one in value.items()}
    return change(value)


def _hidden_bins(bins: list[dict]) -> list[dict]:
    """Take from a reliability curve what was observed in its small bins."""
    hidden = suppressed_groups(*([one[key] for one in bins] for key in ("positives", "negatives")))
    unknown = dict.fromkeys(("observed", "ci_low", "ci_high")) | dict.fromkeys(
        ("positives", "negatives"), HIDDEN
    )
    return [one | unknown if secret else one for one, secret in zip(bins, hidden, strict=True)]


def _marked(parts: list) -> list:
    """Return counts with marks for what ``suppress`` hides, where one of them lies from 1 to 9."""
    if not any(map(small, parts)):
        return parts
    return [HIDDEN if shown is None else shown for shown in suppress(parts)]


def _parts(splits: list[dict]) -> list[dict]:
    """Return the counts of each split with marks, so that none follows from the sum over the splits."""
    marked: list[dict] = [{} for _ in splits]
    for key in ("stays", "patients", "positives", "positives_of_each"):
        counts = [split.get(key) for split in splits]
        if all(isinstance(one, int) for one in counts):
            counts = _marked(counts)
        elif all(isinstance(one, list) for one in counts):
            labels = [_marked(list(label)) for label in zip(*counts, strict=True)]
            counts = [[label[at] for label in labels] for at in range(len(splits))]
        else:
            continue
        for split, count in zip(marked, counts, strict=True):
            split[key] = count
    return marked


def _without_hints(found: dict, whole: object = None) -> dict:
    """Hide what would tell a hidden count of the same dict; ``whole`` counts the samples, where ``found`` does not."""
    whole = found.get("stays", found.get("n", whole))
    hidden = whole == HIDDEN

    def told(count: object) -> object:
        few = isinstance(whole, int) and isinstance(count, int) and small(whole - count)
        return HIDDEN if few or (hidden and count) else count

    found = found | {key: _each(found[key], told) for key in POSITIVES & found.keys()}
    if "share" in found and (hidden or found.get("positives") == HIDDEN):
        found["share"] = None
    if isinstance(lengths := found.get("hours"), dict):
        found["hours"] = dict.fromkeys(lengths) if hidden else lengths | dict.fromkeys(OF_ONE)
    if hidden and isinstance(found.get("pairs"), list):
        found["pairs"] = [pair | dict.fromkeys(COMPARED) for pair in found["pairs"]]
        found["systems"] = {
            row: {key: one for key, one in facts.items() if key != "values"}
            for row, facts in found["systems"].items()
        }
    return found | dict.fromkeys(NUMBERS) if hidden and "value" in found else found
