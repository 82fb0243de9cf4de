"""What a made-up ward charts: the 17 channels at irregular minutes, oftener for the sicker.

Hourly observation rates are those of the MIMIC-III benchmark (specification risk.md §1.6). All else is
chosen for plausibility, not estimated from any patient.
"""

import numpy as np
import polars as pl
from scipy.special import expit, logit

from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.simulation import Ward

ATTENTION = 0.4  # log-odds of an observation per unit of severity
COMA_SPREAD = 0.5  # of patients' consciousness, in units of severity
CAREVUE = 0.59  # share of stays charted in numbered texts, the only ones with a GCS total

# channel: mean, change per unit of severity, spread of patients, noise, lowest, highest, decimals
REAL = {
    "Diastolic blood pressure": (61.0, -2.0, 6.0, 4.5, 15, 140, 0),
    "Fraction inspired oxygen": (0.45, 0.05, 0.06, 0.04, 0.21, 1, 2),
    "Glucose": (136.0, 7.0, 24.0, 18.0, 30, 900, 0),
    "Heart Rate": (87.0, 4.0, 9.0, 5.0, 25, 220, 0),
    "Height": (169.5, 0.0, 9.5, 0.0, 130, 215, 0),
    "Oxygen saturation": (97.0, -0.5, 0.9, 1.0, 55, 100, 0),
    "Respiratory rate": (19.0, 1.3, 2.2, 2.2, 4, 60, 0),
    "Systolic blood pressure": (121.0, -4.5, 12.0, 8.0, 40, 240, 0),
    "Temperature": (36.9, 0.1, 0.3, 0.25, 31, 42, 1),
    "Weight": (82.0, 0.0, 18.0, 0.4, 30, 240, 1),
    "pH": (7.38, -0.02, 0.025, 0.02, 6.8, 7.7, 2),
}
# what is charted together: (hourly rate, {channel: chance to be among it})
VITALS = {
    "Heart Rate": 0.995,
    "Respiratory rate": 0.98,
    "Oxygen saturation": 0.961,
    "Systolic blood pressure": 0.972,
    "Diastolic blood pressure": 0.972,
    "Mean blood pressure": 0.969,
}
GROUPS = (
    (0.93, VITALS),
    (0.12, VITALS),  # a second set within the hour
    (0.31, {name: 1.0 for name in NAMES if name.startswith("Glascow")}),
    (0.326, {"Temperature": 1.0}),
    (0.259, {"Glucose": 1.0}),
    (0.15, {"pH": 0.87, "Fraction inspired oxygen": 0.42}),
    (0.031, {"Weight": 1.0, "Height": 0.13}),
    (0.003, {"Capillary refill rate": 1.0}),
)
# GCS component: severity above which one point is lost, texts of CareVue and of MetaVision, worst first
COMA = {
    "eye opening": (
        (1.2, 2.1, 3.0),
        ("1 No Response", "2 To pain", "3 To speech", "4 Spontaneously"),
        ("None", "To Pain", "To Speech", "Spontaneously"),
    ),
    "motor response": (
        (1.4, 2.2, 2.9, 3.4, 4.0),
        (
            *("1 No Response", "2 Abnorm extensn", "3 Abnorm flexion"),
            *("4 Flex-withdraws", "5 Localizes Pain", "6 Obeys Commands"),
        ),
        (
            *("No response", "Abnormal extension", "Abnormal Flexion"),
            *("Flex-withdraws", "Localizes Pain", "Obeys Commands"),
        ),
    ),
    "verbal response": (
        (0.9, 1.7, 2.5, 3.2),
        ("1.0 ET/Trach", "2 Incomp sounds", "3 Inapprop words", "4 Confused", "5 Oriented"),
        ("No Response-ETT", "Incomprehensible sounds", "Inappropriate Words", "Confused", "Oriented"),
    ),
}


def chart(ward: Ward, attention: float, rng: np.random.Generator) -> pl.DataFrame:
    """Draw what is charted: one row per stay and distinct minute, sorted.

    Args:
        ward: the stays.
        attention: factor on the odds of each observation; 1 gives about the benchmark's rates.
        rng: source of all randomness.

    Returns:
        Columns ``stay`` (row of the ward), ``minute`` (from 1 to the end of the stay) and the 17 channels,
        null = not charted.
    """
    carevue = rng.random(len(ward.patient)) < CAREVUE
    stays = ward.stay
    hours = np.arange(len(stays)) - ward.offsets[stays]
    parts = []
    for rate, chances in GROUPS:
        odds = logit(rate) + np.log(attention) + ATTENTION * ward.severity
        row = np.flatnonzero(rng.random(len(odds)) < expit(odds))
        stay, hour, severity = stays[row], hours[row], ward.severity[row]
        values = _real_values(severity, {n: ward.traits[n][stay] for n in REAL if n in chances}, rng)
        if "Glascow coma scale total" in chances:
            values |= _coma_values(severity + COMA_SPREAD * ward.traits["coma"][stay], carevue[stay], rng)
        if "Capillary refill rate" in chances:
            slow = severity + rng.normal(0, 1, len(stay)) > 1.5
            values["Capillary refill rate"] = np.where(slow, "1.0", "0.0")
        part = pl.DataFrame({"stay": stay, "minute": 60 * hour + rng.integers(1, 61, len(stay)), **values})
        kept = {name: pl.Series(rng.random(len(stay)) < chance) for name, chance in chances.items()}
        parts.append(part.with_columns(pl.when(keep).then(pl.col(name)) for name, keep in kept.items()))
    rows = pl.concat(parts, how="diagonal").select("stay", "minute", *NAMES)
    inside = rows["minute"].to_numpy() <= 60 * ward.hours[rows["stay"].to_numpy()]
    rows = rows.filter(pl.any_horizontal(pl.col(NAMES).is_not_null()) & pl.Series(inside))
    charted = rows.group_by("stay", "minute", maintain_order=True).agg(pl.col(NAMES).drop_nulls().last())
    return charted.sort("stay", "minute")


def _real_values(
    severity: np.ndarray, traits: dict[str, np.ndarray], rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return numbers for each channel in ``traits`` (deviations of the patients, in their spread).

    Mean pressure comes with the other two.
    """
    values = {}
    for name, trait in traits.items():
        mean, slope, spread, noise, lowest, highest, decimals = REAL[name]
        raw = mean + slope * severity + spread * trait + rng.normal(0, noise, len(severity))
        values[name] = np.clip(raw, lowest, highest).round(decimals)
    if "Systolic blood pressure" in values:
        low, high = values["Diastolic blood pressure"], values["Systolic blood pressure"]
        values["Mean blood pressure"] = (low + (high - low) / 3 + rng.normal(0, 2, len(severity))).round(0)
    return values


def _coma_values(
    severity: np.ndarray, carevue: np.ndarray, rng: np.random.Generator
) -> dict[str, np.ndarray | pl.Series]:
    """Return the texts of the three GCS components and of their sum (null in MetaVision stays)."""
    values: dict[str, np.ndarray | pl.Series] = {}
    total = np.zeros(len(severity), dtype=np.int64)
    for component, (thresholds, *spellings) in COMA.items():
        depth = severity + rng.normal(0, 0.5, len(severity))
        points = len(thresholds) - np.searchsorted(thresholds, depth)
        old, new = (np.array(texts) for texts in spellings)
        values[f"Glascow coma scale {component}"] = np.where(carevue, old[points], new[points])
        total += 1 + points
    values["Glascow coma scale total"] = pl.Series(
        [str(points) if numbered else None for points, numbered in zip(total, carevue, strict=True)],
        dtype=pl.String,
    )
    return values
