"""PhysioNet / Computing in Cardiology Challenge 2012: in-hospital death after the first 48 ICU hours.

81 features per hour: 37 parameters (last value of the hour, carried forward), 37 masks, 7 statics. For models
that take what is known at admission apart from the series, the same and more as 10 static features.
"""

import hashlib
from pathlib import Path

import numpy as np

from clinbench.archives import read_members
from clinbench.cohorts.csv_stack import stack_csv
from clinbench.cohorts.new_stays import NewStays, read_list
from clinbench.cohorts.physionet_features import FEATURES, STATIC_FEATURES, build_features, measure
from clinbench.cohorts.physionet_records import HOURS, Records, parse_records
from clinbench.cohorts.tensors import SPLITS, Cohort
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, refuse

TITLE = "PhysioNet 2012"
ACCESS = "open"
SYNTHETIC = False
GENERATED = False
TASKS = ["mortality"]
DATA = {
    "physionet2012": "Folder or archive with set-a.tar.gz, Outcomes-a.txt (and b, c), packed or unpacked; "
    "publisher: PhysioNet, https://physionet.org/content/challenge-2012/1.0.0/; "
    "licence: ODC-BY 1.0 (Open Data Commons Attribution)."
}
OPTIONS = {
    "train": {
        "type": "array",
        "items": {"enum": ["a", "b", "c"]},
        "minItems": 1,
        "uniqueItems": True,
        "default": ["a"],
        "description": "Letters of the challenge's sets to train and validate on.",
    },
    "test": {
        "type": "array",
        "items": {"enum": ["a", "b", "c"]},
        "minItems": 1,
        "uniqueItems": True,
        "default": ["b"],
        "description": "Letters of the sets to test on; none of them may be in 'train'.",
    },
    "validation_fraction": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 0.5,
        "default": 0.15,
        "description": "Share of the training stays that go to validation, by a hash of the RecordID, so "
        "that a stay's place depends on no other stay.",
    },
    "impossible": {
        "enum": ["missing", "keep"],
        "default": "missing",
        "description": "What becomes of values no living patient has (pH 735, Temp -17.8, Weight 0): the "
        "hour counts as not measured, or they are kept. A few such values set the scale of a parameter.",
    },
    "clip": {
        "type": ["number", "null"],
        "exclusiveMinimum": 0,
        "default": 5,
        "description": "Limit of the standardised values, in standard deviations of the training split; "
        "null for no limit. Without it a few values of sets a and b lie beyond 60.",
    },
}
LETTERS = ("a", "b", "c")
WHERE = "https://physionet.org/content/challenge-2012/1.0.0/"


def load(data: dict[str, Path], options: dict, generated: Path | None, task: str) -> Cohort:
    """Read the chosen sets into one cohort; ``task`` is mortality, the only one.

    Values are standardised with mean and standard deviation of the values observed in the training split
    (without validation); 0 where nothing has been observed yet. Stays are sorted by RecordID.

    Raises:
        UserError: a set is missing, asked for twice or not one of a, b, c; records and outcomes do not
            match; a line cannot be read; a split comes out empty.
    """
    options = with_defaults(OPTIONS, options)
    refuse(_option_problems(options), "The options of cohort physionet2012 do not fit together:")
    root = Path(data["physionet2012"])
    letters = sorted({*options["train"], *options["test"]})
    outcomes = {letter: read_outcomes(root, letter) for letter in letters}
    sets = {letter: read_set(root, letter, options["impossible"] == "missing") for letter in letters}
    refuse(
        [problem for letter in letters for problem in _mismatches(letter, sets[letter], outcomes[letter])],
        "Records and outcomes of the PhysioNet 2012 challenge do not match:",
    )
    return _cohort(sets, outcomes, options)


def read_stays(folder: Path, info: dict, options: dict, task: str) -> NewStays:
    """Read a user's record files, scaled as the cohort that ``info`` describes.

    A ``listfile.csv`` among them (columns stay and, if known, y_true; stay = RecordID) chooses the stays.

    Raises:
        UserError: no record files there; see ``parse_records`` and ``read_list``.
    """
    folder = Path(folder)
    members = [member for member in read_members(folder, "*.txt") if Path(member.name).stem.isdigit()]
    if not members:
        raise UserError(f"{folder}: no records <RecordID>.txt in it; point at the folder that has them.")
    members = {Path(member.name).stem: member for member in members}
    listed = read_list(folder, set(members), ("y_true",))
    stays = sorted(listed.stays if listed else members)
    trained = info["options"]
    records = parse_records([members[stay] for stay in stays], trained["impossible"] == "missing")
    arrays = (records.series, records.statics, records.weight)
    values, statics, facts = build_features(*arrays, info["normaliser"], trained["clip"])
    return NewStays(
        values=values,
        offsets=HOURS * np.arange(len(stays) + 1),
        statics=statics,
        stays=records.ids,
        hours=np.full(len(stays), float(HOURS)),
        labels=listed.labels_of(stays) if listed else None,
        features=FEATURES,
        static_features=STATIC_FEATURES,
        info={**records.counts, **facts, "files_not_listed": len(members) - len(stays)},
    )


def _cohort(sets: dict[str, Records], outcomes: dict[str, dict[str, int]], options: dict) -> Cohort:
    ids = np.concatenate([records.ids for records in sets.values()])
    split = np.concatenate([_splits(records.ids, letter, options) for letter, records in sets.items()])
    died = np.array(
        [outcomes[letter][stay] for letter, records in sets.items() for stay in records.ids.tolist()]
    )
    stays = {name: int((split == name).sum()) for name in SPLITS}
    refuse(
        [
            f"'{name}' has no stays; use more sets or another validation_fraction."
            for name, n in stays.items()
            if not n
        ],
        "A split of cohort physionet2012 is empty:",
    )
    arrays = [
        np.concatenate([getattr(records, name) for records in sets.values()])
        for name in ("series", "statics", "weight")
    ]
    state = measure(*arrays, split == "train")
    values, statics, facts = build_features(*arrays, state, options["clip"])
    counts = {
        letter: {"deaths": sum(outcomes[letter].values()), **records.counts}
        for letter, records in sets.items()
    }
    return Cohort(
        values=values,
        offsets=HOURS * np.arange(len(ids) + 1),
        labels=died,
        stays=ids,
        patients=ids,  # the challenge publishes no patient numbers, so each record counts as one patient
        split=split,
        features=FEATURES,
        statics=statics,
        static_features=STATIC_FEATURES,
        info={"stays": stays, "sets": counts, "options": options, "normaliser": state, **facts},
    )


def _option_problems(options: dict) -> list[str]:
    train, test = options["train"], options["test"]
    found = [
        f"There is no set '{letter}'; the sets are {', '.join(LETTERS)}."
        for letter in sorted({*train, *test} - {*LETTERS})
    ]
    found += [
        f"Set '{letter}' is in both 'train' and 'test'; take it out of one."
        for letter in sorted({*train} & {*test})
    ]
    found += [f"'{name}' names no set." for name in ("train", "test") if not options[name]]
    if not 0 < options["validation_fraction"] <= 0.5:
        found.append(f"validation_fraction is {options['validation_fraction']}; it must lie in (0, 0.5].")
    return found


def _mismatches(letter: str, records: Records, outcomes: dict[str, int]) -> list[str]:
    ids = set(records.ids.tolist())
    file = f"Outcomes-{letter}.txt"
    remedy = f"Download both of set {letter} again from {WHERE}."
    found = [
        f"Record {one} of set-{letter} has no line in {file}. {remedy}" for one in sorted(ids - {*outcomes})
    ]
    found += [
        f"Record {one} of {file} has no file in set-{letter}. {remedy}" for one in sorted({*outcomes} - ids)
    ]
    return found


def _splits(ids: np.ndarray, letter: str, options: dict) -> np.ndarray:
    """Return the split of each record; validation by a hash of its id, the same on every machine."""
    if letter in options["test"]:
        return np.full(len(ids), "test")
    hashes = [hashlib.blake2b(one.encode(), digest_size=8).digest() for one in ids.tolist()]
    shares = np.array([int.from_bytes(digest, "big") / 2**64 for digest in hashes])
    return np.where(shares < options["validation_fraction"], "val", "train")


def read_outcomes(root: Path, letter: str) -> dict[str, int]:
    """Return RecordID to in-hospital death (0 or 1) of one set.

    Raises:
        UserError: no outcome file, a record twice, an outcome that is not 0 or 1.
    """
    members = list(read_members(root, f"Outcomes-{letter}.txt"))
    if not members:
        raise UserError(f"{root}: no Outcomes-{letter}.txt in it. Download it from {WHERE} and put it there.")
    stack = stack_csv(members, ["RecordID", "In-hospital_death"])
    ids, died = (stack.frame[name].fill_null("").str.strip_chars().to_list() for name in stack.frame.columns)
    first = {one: row for row, one in reversed([*enumerate(ids)])}
    problems = [
        f"{stack.field(row, 'In-hospital_death')} is not 0 or 1."
        for row, text in enumerate(died)
        if text not in ("0", "1")
    ]
    problems += [
        f"{stack.place(row)}: record '{one}' is there before, in line {stack.line[first[one]]}."
        for row, one in enumerate(ids)
        if first[one] != row
    ]
    refuse(problems, f"The outcomes of set {letter} cannot be used:")
    return dict(zip(ids, map(int, died), strict=True))


def read_set(root: Path, letter: str, drop_impossible: bool = True) -> Records:
    """Read the record files of one set, packed or unpacked.

    Raises:
        UserError: the set is not there; see ``parse_records``.
    """
    members = list(read_members(root, f"set-{letter}/*.txt"))
    records = [member for member in members if Path(member.name).stem.isdigit()]
    if not records:
        raise UserError(
            f"{root}: no records set-{letter}/<RecordID>.txt in it, neither unpacked nor in an archive. "
            f"Download set-{letter}.tar.gz from {WHERE} and put it there."
        )
    parsed = parse_records(records, drop_impossible)
    parsed.counts["files_that_are_no_records"] = len(members) - len(records)
    return parsed
