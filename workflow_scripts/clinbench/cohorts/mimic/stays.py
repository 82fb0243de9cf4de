"""ICU stays by the benchmark's rules, with what each rule leaves (specification risk.md §1.1, §1.9)."""

import polars as pl

from clinbench.errors import UserError, refuse

ADULT = 18
YEAR = 365.0  # days; the benchmark's years have no leap days


def select_stays(
    icustays: pl.DataFrame, admissions: pl.DataFrame, patients: pl.DataFrame, age: str
) -> tuple[pl.DataFrame, list[dict]]:
    """Apply the cohort rules: no transfer, one stay an admission (of those left), 18 or older.

    Args:
        icustays, admissions, patients: tables as read, columns in lower case.
        age: ``shifted`` keeps the ages of some 300 years that de-identification gives patients over 89,
            ``capped`` makes 90 of every age over 89.

    Returns:
        One row a stay in the order of ``icustays``, with all columns of the benchmark's ``all_stays.csv``
        and ``episode`` (k-th stay of its patient by time, from 1); and the funnel: after each rule its
        name, stays, admissions and patients.

    Raises:
        UserError: no stay is left, ids that should be unique are not, or a time is missing.
    """
    refuse(_duplicates(icustays, admissions, patients), "The MIMIC-III tables contradict themselves:")
    funnel = [_count("all ICU stays", icustays)]
    same_place = (pl.col("first_wardid") == pl.col("last_wardid")) & (
        pl.col("first_careunit") == pl.col("last_careunit")
    )
    stays = icustays.filter(same_place).drop("first_wardid", "last_wardid", "first_careunit")
    funnel.append(_count("without transfers", stays))
    stays = stays.join(admissions, on=["subject_id", "hadm_id"], how="inner", maintain_order="left")
    stays = stays.join(patients, on="subject_id", how="inner", maintain_order="left")
    stays = stays.filter(pl.len().over("hadm_id") == 1)
    funnel.append(_count("one stay an admission", stays))
    missing = stays.filter(pl.any_horizontal(pl.col("intime", "dob").is_null()))
    refuse(
        [f"ICU stay {one}: INTIME or DOB is missing." for one in missing["icustay_id"].to_list()],
        "Stays without the times that their age needs:",
    )
    stays = _with_outcomes(stays.with_columns(_age(age))).filter(pl.col("age") >= ADULT)
    funnel.append(_count("age 18 or more", stays))
    if stays.is_empty():
        raise UserError(f"No ICU stay is left by the benchmark's rules: {funnel}.")
    order = pl.struct("intime", "outtime", "icustay_id").rank("ordinal").over("subject_id")
    return stays.with_columns(order.cast(pl.Int32).alias("episode")), funnel


def count_capped(stays: pl.DataFrame) -> int:
    """Return how many stays have an age over 89, which ``capped`` changes."""
    return stays.filter(pl.col("shifted_age") > 89).height


def _age(how: str) -> list[pl.Expr]:
    seconds = (pl.col("intime") - pl.col("dob")).dt.total_seconds().cast(pl.Float64)
    years = seconds / 3600.0 / 24.0 / YEAR
    years = pl.when(years < 0).then(90.0).otherwise(years)
    capped = pl.when(years > 89).then(90.0).otherwise(years)
    return [years.alias("shifted_age"), (capped if how == "capped" else years).alias("age")]


def _with_outcomes(stays: pl.DataFrame) -> pl.DataFrame:
    """Add death in the unit and in hospital: a date of death between the two times, ends included."""

    def died(start: str, end: str) -> pl.Expr:
        inside = [
            ((pl.col(start) <= pl.col(death)) & (pl.col(end) >= pl.col(death))).fill_null(False)
            for death in ("dod", "deathtime")
        ]
        return (inside[0] | inside[1]).cast(pl.Int8)

    return stays.with_columns(
        died("intime", "outtime").alias("mortality_inunit"),
        died("admittime", "dischtime").alias("mortality"),
        died("admittime", "dischtime").alias("mortality_inhospital"),
    )


def _duplicates(icustays: pl.DataFrame, admissions: pl.DataFrame, patients: pl.DataFrame) -> list[str]:
    found = []
    for table, key, frame in (
        ("ICUSTAYS", "icustay_id", icustays),
        ("ADMISSIONS", "hadm_id", admissions),
        ("PATIENTS", "subject_id", patients),
    ):
        again = frame.filter(pl.col(key).is_duplicated() | pl.col(key).is_null())[key].unique().sort()
        found += [
            f"{table}: {key.upper()} {one if one is not None else '(empty)'} must occur once; "
            "remove the repeated rows or copy the table again."
            for one in again.to_list()
        ]
    return found


def _count(rule: str, stays: pl.DataFrame) -> dict:
    return {
        "rule": rule,
        "stays": stays["icustay_id"].n_unique(),
        "admissions": stays["hadm_id"].n_unique(),
        "patients": stays["subject_id"].n_unique(),
    }
