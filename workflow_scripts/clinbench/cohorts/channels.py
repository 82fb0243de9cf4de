"""The 17 channels of the MIMIC-III benchmark and their 76 hourly features.

Source: specification risk.md §1.2, §1.5, §1.6 (Harutyunyan et al. 2019). Column order inside a
one-hot block is the benchmark's own; "Glascow" is its spelling.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from clinbench.errors import UserError


@dataclass(frozen=True)
class Channel:
    """One measured variable.

    Attributes:
        name: column name in the benchmark's CSV files.
        normal: value assumed before the first observation; a category text or a number's text.
        categories: texts in one-hot order; empty for a real-valued channel.
        limits: outlier low, valid low, valid high, outlier high; None for a categorical channel.
    """

    name: str
    normal: str
    categories: tuple[str, ...] = ()
    limits: tuple[float, float, float, float] | None = None


EYE = (
    *("To Pain", "3 To speech", "1 No Response", "4 Spontaneously"),
    *("None", "To Speech", "Spontaneously", "2 To pain"),  # the text None is a state, not a gap
)
MOTOR = (
    *("1 No Response", "3 Abnorm flexion", "Abnormal extension", "No response"),
    *("4 Flex-withdraws", "Localizes Pain", "Flex-withdraws", "Obeys Commands"),
    *("Abnormal Flexion", "6 Obeys Commands", "5 Localizes Pain", "2 Abnorm extensn"),
)
TOTAL = ("11", "10", "13", "12", "15", "14", "3", "5", "4", "7", "6", "9", "8")
VERBAL = (
    *("1 No Response", "No Response", "Confused", "Inappropriate Words"),
    *("Oriented", "No Response-ETT", "5 Oriented", "Incomprehensible sounds"),
    *("1.0 ET/Trach", "4 Confused", "2 Incomp sounds", "3 Inapprop words"),
)

CHANNELS = (
    Channel("Capillary refill rate", "0.0", ("0.0", "1.0")),
    Channel("Diastolic blood pressure", "59.0", limits=(0, 0, 375, 375)),  # mmHg
    Channel("Fraction inspired oxygen", "0.21", limits=(0.2, 0.21, 1, 1.1)),  # fraction
    Channel("Glascow coma scale eye opening", "4 Spontaneously", EYE),
    Channel("Glascow coma scale motor response", "6 Obeys Commands", MOTOR),
    Channel("Glascow coma scale total", "15", TOTAL),
    Channel("Glascow coma scale verbal response", "5 Oriented", VERBAL),
    Channel("Glucose", "128.0", limits=(0, 33, 2000, 2200)),  # mg/dL
    Channel("Heart Rate", "86", limits=(0, 0, 350, 390)),  # per minute
    Channel("Height", "170.0", limits=(0, 0, 240, 275)),  # cm
    Channel("Mean blood pressure", "77.0", limits=(0, 14, 330, 375)),  # mmHg
    Channel("Oxygen saturation", "98.0", limits=(0, 0, 100, 150)),  # %
    Channel("Respiratory rate", "19", limits=(0, 0, 300, 330)),  # per minute
    Channel("Systolic blood pressure", "118.0", limits=(0, 0, 375, 375)),  # mmHg
    Channel("Temperature", "36.6", limits=(14.2, 26, 45, 47)),  # °C
    Channel("Weight", "81.0", limits=(0, 0, 250, 250)),  # kg
    Channel("pH", "7.4", limits=(6.3, 6.3, 8.4, 10)),
)
NAMES = tuple(channel.name for channel in CHANNELS)
WIDTHS = np.array([len(channel.categories) or 1 for channel in CHANNELS])
STARTS = np.concatenate([[0], np.cumsum(WIDTHS)])  # first feature of each channel; last = first mask
CATEGORICAL = np.array([bool(channel.categories) for channel in CHANNELS])
FEATURES = [
    *(f"{c.name}->{text}" if text else c.name for c in CHANNELS for text in (c.categories or ("",))),
    *(f"mask->{name}" for name in NAMES),
]
REAL_FEATURES = [feature for feature in FEATURES if "->" not in feature]  # the 12 to standardise


@cache
def code(channel: Channel, text: str) -> float | None:
    """Return a category's index as a float, or None for an unknown text.

    Where the categories are numbers, any spelling of the number counts: ``0`` = ``0.0``, ``15.0`` = ``15``.
    """
    text = text.strip()
    if text in channel.categories:
        return float(channel.categories.index(text))
    try:
        numbers = [float(category) for category in channel.categories]
        return float(numbers.index(float(text)))
    except ValueError:
        return None


def parse(channel: Channel, texts: pl.Series) -> np.ndarray:
    """Return a column of texts as float64 numbers or category indices, NaN where empty or unreadable.

    The text ``None`` is a category of GCS eye opening, never a missing value.
    """
    if channel.categories:
        known = {text: code(channel, text) for text in texts.unique().drop_nulls().to_list()}
        numbers = texts.replace_strict(known, default=None, return_dtype=pl.Float64)
    else:
        numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    values = numbers.fill_null(float("nan")).to_numpy().copy()
    values[~np.isfinite(values)] = np.nan
    return values


def expected(channel: Channel) -> str:
    """Describe what a channel's column may hold, for an error message."""
    if channel.categories:
        return "expected one of: " + ", ".join(channel.categories)
    return "expected a number, or nothing for a missing value"


def normal_values() -> np.ndarray:
    """Return the 17 values assumed before any observation, categories as indices, (17,) float64."""
    normals = [code(c, c.normal) if c.categories else float(c.normal) for c in CHANNELS]
    if None in normals:
        raise UserError(f"A normal value is not among its channel's categories: {normals}.")
    return np.array(normals, dtype=np.float64)
