"""Discharge diagnoses: CCS groups, the 25 phenotype labels, the 128 flags of the episode files.

Specification risk.md §1.7, §1.8 and quirks 5 and 6 of §1.9.
"""

import numpy as np
import polars as pl

from clinbench.cohorts.mimic.resources import Resources

# The 128 codes of the episode files' flags, in their order: the most frequent ones of MIMIC-III.
FLAGS = """
4019 4280 41401 42731 25000 5849 2724 51881 53081 5990 2720 2859 2449 486 2762 2851 496 V5861 99592 311 0389
5859 5070 40390 3051 412 V4581 2761 41071 2875 4240 V1582 V4582 V5867 4241 40391 78552 5119 42789 32723
49390 9971 2767 2760 2749 4168 5180 45829 4589 73300 5845 78039 5856 4271 4254 4111 V1251 30000 3572 60000
27800 41400 2768 4439 27651 V4501 27652 99811 431 28521 2930 7907 E8798 5789 79902 V4986 V103 42832 E8788
00845 5715 99591 07054 42833 4275 49121 V1046 2948 70703 2809 5712 27801 42732 99812 4139 3004 2639 42822
25060 V1254 42823 28529 E8782 30500 78791 78551 E8889 78820 34590 2800 99859 V667 E8497 79092 5723 3485 5601
25040 570 71590 2869 2763 5770 V5865 99662 28860 36201 56210
""".split()  # noqa: SIM905


def diagnoses_of_stays(
    diagnoses: pl.DataFrame, dictionary: pl.DataFrame, stays: pl.DataFrame, resources: Resources
) -> pl.DataFrame:
    """Give each diagnosis of a stay's admission its titles and CCS group.

    Returns:
        One row a diagnosis in the order of the table: ``subject_id``, ``hadm_id``, ``seq_num``,
        ``icd9_code``, ``short_title``, ``long_title``, ``icustay_id``, ``known`` (whether the dictionary has
        the code), ``group`` and ``used`` (whether the group is a label), null without a group.
    """
    titles = dictionary.unique("icd9_code", keep="first", maintain_order=True)
    keys = ["subject_id", "hadm_id"]
    found = (
        diagnoses.filter(pl.col("icd9_code").is_not_null())
        .join(titles.with_columns(known=pl.lit(True)), on="icd9_code", how="left", maintain_order="left")
        .join(stays.select(*keys, "icustay_id"), on=keys, how="inner", maintain_order="left")
    )
    group = pl.col("icd9_code").replace_strict(resources.groups, default=None, return_dtype=pl.String)
    return found.with_columns(
        pl.col("known").fill_null(False),
        group.alias("group"),
        group.is_in(resources.phenotypes).cast(pl.Int8).alias("used"),
    )


def phenotype_labels(diagnoses: pl.DataFrame, stays: list[int], phenotypes: list[str]) -> np.ndarray:
    """Return whether each stay has a diagnosis of each phenotype, (N, C) int8."""
    labels = np.zeros((len(stays), len(phenotypes)), dtype=np.int8)
    row = {stay: i for i, stay in enumerate(stays)}
    column = {name: i for i, name in enumerate(phenotypes)}
    pairs = diagnoses.filter(pl.col("used") > 0).select("icustay_id", "group").unique()
    for stay, group in pairs.iter_rows():
        if stay in row:
            labels[row[stay], column[group]] = 1
    return labels


def diagnosis_flags(diagnoses: pl.DataFrame, stays: pl.DataFrame, exact: bool) -> np.ndarray:
    """Return the 128 flags of each stay, (N, 128) int8.

    Args:
        diagnoses: those that count.
        stays: N stays with ``subject_id`` and ``icustay_id``.
        exact: False repeats the benchmark's slip: where all codes of a patient are digits it compares
            numbers with text, and no flag is set.
    """
    if not exact:
        text = (~pl.col("icd9_code").str.contains(r"^\d+$")).any().over("subject_id")
        diagnoses = diagnoses.filter(text)
    flags = np.zeros((stays.height, len(FLAGS)), dtype=np.int8)
    row = {stay: i for i, stay in enumerate(stays["icustay_id"].to_list())}
    column = {code: i for i, code in enumerate(FLAGS)}
    chosen = diagnoses.filter(pl.col("icd9_code").is_in(FLAGS)).select("icustay_id", "icd9_code").unique()
    for stay, code in chosen.iter_rows():
        if stay in row:
            flags[row[stay], column[code]] = 1
    return flags
