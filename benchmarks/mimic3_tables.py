"""Made-up tables in the shape of MIMIC-III, as large as wanted, for timing; no patient is behind them."""

from pathlib import Path

import numpy as np
import polars as pl
import yaml

from clinbench.cohorts.channels import CHANNELS, Channel
from clinbench.cohorts.phenotypes import NAMES as PHENOTYPES

EVENTS_PER_STAY = 6600  # chart events, as in the demo
OF_INTEREST = 0.166  # share of chart events that are of the 17 variables
CHUNK = 1_000_000
START = np.datetime64("2150-01-01T12:00:00", "s")
OTHERS = np.arange(5000, 9000)  # items of no variable
UNITS = {"Temperature": "?F", "Height": "Inch", "Fraction inspired oxygen": "", "Weight": "kg"}


def write_tables(folder: Path, events: int, rng: np.random.Generator) -> Path:
    """Write all tables; rows of CHARTEVENTS are in no order of patients, as in the full table.

    Args:
        folder: made if need be.
        events: rows of CHARTEVENTS.
        rng: source of all randomness.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stays = max(30, events // EVENTS_PER_STAY)
    numbers = np.arange(stays)
    hours = np.clip(rng.lognormal(4.1, 0.8, stays), 5, 2000)
    begin = START + _seconds(rng.uniform(0, 365 * 24 * 3600, stays))
    end = begin + _seconds(hours * 3600)
    died = np.where(rng.random(stays) < 0.12, end, np.datetime64("NaT"))
    ids = {"SUBJECT_ID": numbers + 1, "HADM_ID": numbers + 100_000, "ICUSTAY_ID": numbers + 200_000}
    born = np.full(stays, np.datetime64("2090-01-01T00:00:00", "ms"))
    one = np.ones(stays, dtype=np.int64)
    frames = {
        "PATIENTS": {
            "SUBJECT_ID": ids["SUBJECT_ID"],
            "GENDER": rng.choice(["F", "M"], stays),
            "DOB": born,
            "DOD": died,
        },
        "ADMISSIONS": {
            **{name: ids[name] for name in ("SUBJECT_ID", "HADM_ID")},
            **{"ADMITTIME": begin, "DISCHTIME": end, "DEATHTIME": died},
            **{"ETHNICITY": rng.choice(["WHITE", "ASIAN"], stays), "DIAGNOSIS": ["SEPSIS"] * stays},
        },
        "ICUSTAYS": {
            **ids,
            **{
                "DBSOURCE": ["carevue"] * stays,
                "FIRST_CAREUNIT": ["MICU"] * stays,
                "LAST_CAREUNIT": ["MICU"] * stays,
            },
            **{
                "FIRST_WARDID": one,
                "LAST_WARDID": one,
                "INTIME": begin,
                "OUTTIME": end,
                "LOS": (hours / 24).round(4),
            },
        },
        "DIAGNOSES_ICD": {
            **{name: ids[name] for name in ("SUBJECT_ID", "HADM_ID")},
            **{"SEQ_NUM": one, "ICD9_CODE": rng.choice([f"{i:05}" for i in range(len(PHENOTYPES))], stays)},
        },
        "OUTPUTEVENTS": {
            **_event(ids, begin, hours, np.full(stays, 7000), rng),
            "VALUE": one * 40,
            "VALUEUOM": ["ml"] * stays,
        },
    }
    for name, columns in frames.items():
        _write(folder / f"{name}.csv", pl.DataFrame(columns))
    codes = pl.DataFrame({"ICD9_CODE": [f"{i:05}" for i in range(len(PHENOTYPES))]})
    titles = codes.with_columns(SHORT_TITLE=pl.lit("title"), LONG_TITLE=pl.lit("title"))
    _write(folder / "D_ICD_DIAGNOSES.csv", titles)
    for name, rows in (("CHARTEVENTS", events), ("LABEVENTS", events // 10)):
        _write_events(folder / f"{name}.csv", rows, ids, begin, hours, rng, name == "LABEVENTS")
    return folder


def write_resources(folder: Path, patients: int) -> Path:
    """Write resource tables that fit: two items a variable, every sixth patient tests or validates."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        f"{channel.name},ready,{10 * index + place},{channel.name},chartevents,9,\n"
        for index, channel in enumerate(CHANNELS)
        for place in (0, 1)
    ]
    header = "LEVEL2,STATUS,ITEMID,MIMIC LABEL,LINKSTO,COUNT,FLUID\n"
    (folder / "itemid_to_variable_map.csv").write_text(header + "".join(rows))
    groups = {name: {"use_in_benchmark": True, "codes": [f"{i:05}"]} for i, name in enumerate(PHENOTYPES)}
    (folder / "hcup_ccs_2015_definitions.yaml").write_text(yaml.safe_dump(groups))
    for name, remainder in (("testset", 0), ("valset", 1)):
        lines = [f"{patient},{int(patient % 6 == remainder)}\n" for patient in range(1, patients + 1)]
        (folder / f"{name}.csv").write_text("".join(lines))
    return folder


def _write_events(
    path: Path, rows: int, ids: dict, begin: np.ndarray, hours: np.ndarray, rng, lab: bool
) -> None:
    """Write events a chunk at a time."""
    with open(path, "wb") as handle:
        for done in range(0, rows, CHUNK):
            frame = _chunk(min(CHUNK, rows - done), ids, begin, hours, rng)
            frame = frame.drop("ICUSTAY_ID") if lab else frame
            frame.write_csv(handle, include_header=not done, datetime_format="%Y-%m-%d %H:%M:%S")


def _chunk(
    rows: int, ids: dict, begin: np.ndarray, hours: np.ndarray, rng: np.random.Generator
) -> pl.DataFrame:
    stay = rng.integers(len(hours), size=rows)
    chosen = {name: values[stay] for name, values in ids.items()}
    channel = rng.integers(len(CHANNELS), size=rows)
    interesting = rng.random(rows) < OF_INTEREST
    item = np.where(interesting, 10 * channel + rng.integers(2, size=rows), rng.choice(OTHERS, rows))
    values = np.array(["12.5"] * rows, dtype="U20")
    units = np.array([""] * rows, dtype="U8")
    for index, one in enumerate(CHANNELS):
        at = np.flatnonzero(interesting & (channel == index))
        values[at], units[at] = _values(one, len(at), rng), UNITS.get(one.name, "")
    frame = pl.DataFrame(
        {**_event(chosen, begin[stay], hours[stay], item, rng), "VALUE": values, "VALUEUOM": units}
    )
    return frame.with_row_index("ROW_ID").with_columns(
        STORETIME=pl.col("CHARTTIME"), CGID=pl.lit(19085), WARNING=pl.lit(0), ERROR=pl.lit(0)
    )


def _event(
    ids: dict, begin: np.ndarray, hours: np.ndarray, item: np.ndarray, rng: np.random.Generator
) -> dict:
    """Return ids, items and times, on full quarters of an hour within two hours of the stay."""
    quarters = rng.integers(-8, (4 * hours).astype(int) + 8)
    return {**ids, "ITEMID": item, "CHARTTIME": begin + _seconds(quarters * 900)}


def _seconds(seconds: np.ndarray) -> np.ndarray:
    return seconds.astype("timedelta64[s]").astype("timedelta64[ms]")


def _values(channel: Channel, count: int, rng: np.random.Generator) -> np.ndarray:
    if channel.name == "Capillary refill rate":
        return rng.choice(["Brisk", "Delayed"], count)
    if channel.categories:
        return rng.choice(channel.categories, count)
    low, high = {"Temperature": (95, 104), "Height": (60, 75), "pH": (7, 7.6)}.get(channel.name, (20, 100))
    return rng.uniform(low, high, count).round(1).astype(str)


def _write(path: Path, frame: pl.DataFrame) -> None:
    frame.with_row_index("ROW_ID").write_csv(path, datetime_format="%Y-%m-%d %H:%M:%S")
