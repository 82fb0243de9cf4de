"""The benchmark's resource tables: item map, CCS groups, official test and validation patients.

They belong to mimic3-benchmarks (MIT licence) and are an input: a local folder, or fetched once from its
repository at a pinned commit and checked.
"""

import hashlib
import http.client
import re
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import yaml

from clinbench.cohorts.channels import NAMES
from clinbench.errors import UserError, refuse
from clinbench.files import atomic_path, read_text

DIGITS = re.compile(r"[0-9]{1,12}")
AGAIN = "Copy or download it again; null downloads it."
COMMIT = "ea0314c7cbd369f62e2237ace6f683740f867e3a"
SOURCE = f"https://raw.githubusercontent.com/YerevaNN/mimic3-benchmarks/{COMMIT}"
FILES = {  # name: folder in the repository, SHA-256
    "itemid_to_variable_map.csv": (
        "mimic3benchmark/resources",
        "86ca1228eabd4731449740916bad5f7b03e9b8bc84c0648e49bab9e72ba5397e",
    ),
    "hcup_ccs_2015_definitions.yaml": (
        "mimic3benchmark/resources",
        "da07cd47f16e60bf5ec146d0018e799ec8b66c2fdb96152c2467a90a3f22a70c",
    ),
    "testset.csv": (
        "mimic3benchmark/resources",
        "206d879065dd7ae245e8d8b2bddf962b300f1c21c0351dc7b2ceaf9c308b243a",
    ),
    "valset.csv": (
        "mimic3models/resources",
        "e4d70f15f5926b8512ee3542b427333cc7f8bf2109d98ee6568eaee54f650430",
    ),
}


@dataclass(frozen=True)
class Resources:
    """What the benchmark lays down.

    Attributes:
        items: ``itemid``, ``variable`` (index of the channel), ``label`` (lower case), ``blood`` (False where
            a laboratory item is measured in another fluid).
        groups: ICD-9 code to its CCS group.
        phenotypes: names of the groups that are labels, sorted.
        test: patients of the test split; ``listed``: all patients it decides on.
        val: patients of the validation split; the rest of those that are not tested train.
        official: whether every file is the published one, byte for byte.
    """

    items: pl.DataFrame
    groups: dict[str, str]
    phenotypes: list[str]
    test: set[int]
    listed: set[int]
    val: set[int]
    official: bool


def read_resources(folder: Path) -> Resources:
    """Read the resource tables of a folder.

    Raises:
        UserError: a file is missing or does not have the shape it has in mimic3-benchmarks.
    """
    refuse(
        [f"no {name} in {folder}." for name in FILES if not (folder / name).is_file()],
        "data.mimic3_resources must hold the resource tables of mimic3-benchmarks; null downloads them:",
    )
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}
    groups, phenotypes = _groups(folder / "hcup_ccs_2015_definitions.yaml")
    tested, listed = _members(folder / "testset.csv")
    val, _ = _members(folder / "valset.csv")
    return Resources(
        items=_items(folder / "itemid_to_variable_map.csv"),
        groups=groups,
        phenotypes=phenotypes,
        test=tested,
        listed=listed,
        val=val,
        official=all(digests[name] == digest for name, (_, digest) in FILES.items()),
    )


def download(folder: Path, source: str = SOURCE) -> Path:
    """Fetch the resource tables into ``folder`` and check their SHA-256; those there already are kept.

    Raises:
        UserError: no connection, or a file is not the published one.
    """
    for name, (place, digest) in FILES.items():
        path = folder / name
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest:
            continue
        address = f"{source}/{place}/{name}"
        remedy = f"Fetch it yourself and name its folder as data.mimic3_resources: {address}"
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise UserError(f"{name} could not be downloaded ({error}). {remedy}") from error
        found = hashlib.sha256(content).hexdigest()
        if found != digest:
            raise UserError(f"{name} has SHA-256 {found}, not {digest}: it is not used. {remedy}")
        with atomic_path(path) as temporary:
            temporary.write_bytes(content)
    return folder


def _items(path: Path) -> pl.DataFrame:
    """Read the items that are ready for use and occur."""
    try:
        frame = pl.read_csv(path, infer_schema=False, encoding="utf8-lossy")
    except pl.exceptions.PolarsError as error:
        raise UserError(f"{path}: cannot be read as CSV ({error}). {AGAIN}") from error
    needed = ["LEVEL2", "STATUS", "ITEMID", "MIMIC LABEL", "LINKSTO", "COUNT", "FLUID"]
    refuse(
        [
            f"no column '{name}'; it has {', '.join(frame.columns)}."
            for name in needed
            if name not in frame.columns
        ],
        f"{path} is not the item map of mimic3-benchmarks:",
    )
    used = (pl.col("STATUS") == "ready") & (pl.col("COUNT").cast(pl.Float64, strict=False) > 0)
    frame = frame.filter(used & pl.col("LEVEL2").is_not_null())
    strange = sorted({*frame["LEVEL2"].to_list()} - {*NAMES})
    if strange:
        raise UserError(
            f"{path}: {', '.join(strange)} are no variables of the benchmark: {', '.join(NAMES)}."
        )
    lost = frame.filter(pl.col("ITEMID").cast(pl.Int64, strict=False).is_null())["ITEMID"]
    refuse((f"'{item}'" for item in lost), f"{path}: ITEMID has values that are no whole numbers:")
    laboratory = pl.col("LINKSTO").fill_null("").str.to_lowercase() == "labevents"
    return frame.select(
        pl.col("ITEMID").cast(pl.Int64).alias("itemid"),
        pl.col("LEVEL2").replace_strict({name: i for i, name in enumerate(NAMES)}, return_dtype=pl.Int8)
        .alias("variable"),
        pl.col("MIMIC LABEL").fill_null("").str.to_lowercase().alias("label"),
        (~laboratory | (pl.col("FLUID").fill_null("").str.to_uppercase() == "BLOOD")).alias("blood"),
    ).unique("itemid", keep="first", maintain_order=True)  # fmt: skip


def _groups(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return the group of each code and the groups used as labels."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the pure-Python one takes seconds
    try:
        definitions = yaml.load(read_text(path), Loader=loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{path}: not valid YAML ({' '.join(str(error).split())}). {AGAIN}") from error
    try:
        groups = {str(code): name for name, entry in definitions.items() for code in entry["codes"]}
        phenotypes = sorted(name for name, entry in definitions.items() if entry["use_in_benchmark"])
    except (AttributeError, KeyError, TypeError) as error:
        raise UserError(f"{path}: each group needs 'codes' and 'use_in_benchmark' ({error!r}).") from error
    if not phenotypes:
        raise UserError(f"{path}: no group has 'use_in_benchmark: True', so there would be no phenotypes.")
    return groups, phenotypes


def _members(path: Path) -> tuple[set[int], set[int]]:
    """Return the flagged patients of a headerless list ``patient,0 or 1``, and all its patients."""
    members, listed, problems = set(), set(), []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        patient, comma, flag = line.strip().partition(",")
        if not (comma or line.strip()):
            continue
        if not DIGITS.fullmatch(patient) or flag.strip() not in ("0", "1"):
            problems.append(f"line {number}: '{line.strip()}' is not a patient number, a comma, and 0 or 1.")
            continue
        listed.add(int(patient))
        if flag.strip() == "1":
            members.add(int(patient))
    if not listed and not problems:
        problems.append("it lists no patients.")
    refuse(problems, f"{path} cannot be used:")
    return members, listed
