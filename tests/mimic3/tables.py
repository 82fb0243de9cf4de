"""Small made-up tables in the shape of MIMIC-III and of the benchmark's resource tables."""

import csv
import gzip
import lzma
from datetime import datetime, timedelta

import numpy as np
import yaml

from clinbench.cohorts.phenotypes import NAMES as PHENOTYPES

START = datetime(2150, 1, 1, 12)
# itemid: variable, label, unit, table, fluid, and what its values are like
ITEMS = {
    1: (
        "Capillary refill rate",
        "Capillary Refill",
        "",
        "chart",
        "",
        ("Brisk", "Delayed", "Normal <3 secs", "odd"),
    ),
    2: ("Diastolic blood pressure", "Arterial BP [Diastolic]", "mmHg", "chart", "", ("61", "120/80", "55.5")),
    3: ("Fraction inspired oxygen", "FIO2", "torr", "chart", "", ("0.4", "1.0", "0")),
    4: ("Fraction inspired oxygen", "Inspired O2 Fraction", "", "chart", "", ("50", "0.5", "1", "100")),
    5: (
        "Glascow coma scale eye opening",
        "Eye Opening",
        "",
        "chart",
        "",
        ("4 Spontaneously", "None", "To Pain", "2 To pain"),
    ),
    6: (
        "Glascow coma scale motor response",
        "Motor",
        "",
        "chart",
        "",
        ("6 Obeys Commands", "Obeys Commands", "No response"),
    ),
    7: ("Glascow coma scale total", "GCS Total", "", "chart", "", ("15", "9", "10", "3")),
    8: (
        "Glascow coma scale verbal response",
        "Verbal",
        "",
        "chart",
        "",
        ("5 Oriented", "No Response-ETT", "1.0 ET/Trach"),
    ),
    9: ("Glucose", "Glucose", "mg/dL", "lab", "BLOOD", ("128", "ERROR", "97.5", "<30", ".5")),
    10: ("Glucose", "GLUCOSE", "mg/dL", "lab", "URINE", ("1000", "NEG", "250")),
    11: ("Heart Rate", "Heart Rate", "bpm", "chart", "", ("86", "9", "110", "86.0")),
    12: ("Height", "Height", "Inch", "chart", "", ("70", "65")),
    13: ("Height", "Height (cm)", "cm", "chart", "", ("170", "181")),
    14: ("Mean blood pressure", "Arterial BP Mean", "mmHg", "chart", "", ("77", "100.333", "8")),
    15: ("Oxygen saturation", "SpO2", "%", "chart", "", ("98", "1", ".97", "ERROR", "100")),
    16: ("Respiratory rate", "Respiratory Rate", "insp/min", "chart", "", ("19", "8", "13")),
    17: ("Systolic blood pressure", "NBP [Systolic]", "mmHg", "chart", "", ("118", "120/80", "95")),
    18: ("Temperature", "Temperature F", "?F", "chart", "", ("98.6", "79", "75")),
    19: ("Temperature", "Temperature C", "?C", "chart", "", ("36.6", "38.25")),
    20: ("Weight", "Admission Weight (lbs.)", "", "chart", "", ("180", "150.5")),
    21: ("Weight", "Daily Weight", "kg", "chart", "", ("81", "70.25")),
    22: ("Weight", "Present Weight  (oz)", "", "chart", "", ("2000",)),
    23: ("pH", "PH", "units", "lab", "BLOOD", ("7.4", "7.31", "ERROR")),
    24: ("pH", "PH", "units", "lab", "URINE", ("5.0", "6")),
    25: ("", "Something else", "", "chart", "", ("1", "text, with a comma", 'quo"ted', "two\nlines")),
    26: ("", "Urine", "ml", "output", "", ("120",)),
}
CODES = ("4019", "5849", "0389", "V5861", "E8798", "99592", "unknown", "2859", "4280")
CCS = {"4019": 13, "5849": 0, "0389": 23, "99592": 23, "4280": 8}  # code: which phenotype
TEST, VAL = set(range(3, 31, 5)), set(range(2, 31, 5))  # patients
PLACES = {"chart": "CHARTEVENTS", "lab": "LABEVENTS", "output": "OUTPUTEVENTS"}
COLUMNS = {
    "PATIENTS": "ROW_ID SUBJECT_ID GENDER DOB DOD DOD_HOSP DOD_SSN EXPIRE_FLAG",
    "ADMISSIONS": "ROW_ID SUBJECT_ID HADM_ID ADMITTIME DISCHTIME DEATHTIME ADMISSION_TYPE ETHNICITY DIAGNOSIS",
    "ICUSTAYS": "ROW_ID SUBJECT_ID HADM_ID ICUSTAY_ID DBSOURCE FIRST_CAREUNIT LAST_CAREUNIT FIRST_WARDID LAST_WARDID "
    "INTIME OUTTIME LOS",
    "DIAGNOSES_ICD": "ROW_ID SUBJECT_ID HADM_ID SEQ_NUM ICD9_CODE",
    "D_ICD_DIAGNOSES": "ROW_ID ICD9_CODE SHORT_TITLE LONG_TITLE",
    "CHARTEVENTS": "ROW_ID SUBJECT_ID HADM_ID ICUSTAY_ID ITEMID CHARTTIME STORETIME CGID VALUE VALUENUM VALUEUOM "
    "WARNING",
    "LABEVENTS": "ROW_ID SUBJECT_ID HADM_ID ITEMID CHARTTIME VALUE VALUENUM VALUEUOM FLAG",
    "OUTPUTEVENTS": "ROW_ID SUBJECT_ID HADM_ID ICUSTAY_ID CHARTTIME ITEMID VALUE VALUEUOM STORETIME",
}


def stamp(moment):
    return moment.strftime("%Y-%m-%d %H:%M:%S") if moment else ""


def make_tables(seed=0, patients=30, events=120):
    """Return the tables as lists of rows (upper-case names to text), with everything the rules are about."""
    rng = np.random.default_rng(seed)
    tables = {name: [] for name in COLUMNS}
    tables["D_ICD_DIAGNOSES"] = [
        {"ICD9_CODE": code, "SHORT_TITLE": f"T {code}", "LONG_TITLE": f"Title, of {code}"}
        for code in CODES
        if code != "unknown"
    ]
    for patient in range(1, patients + 1):
        add_patient(tables, patient, rng, events)
    for rows in tables.values():
        for number, row in enumerate(rows, 1):
            row["ROW_ID"] = str(number)
    return tables


def add_patient(tables, patient, rng, events):
    born = START - timedelta(
        days=float(rng.choice([300 * 365.2, 60 * 365.3, 60 * 365.3, 17 * 365, 30 * 365.25]))
    )
    admissions = []
    for k in range(int(rng.integers(1, 4))):
        admitted = START + timedelta(days=float(rng.choice([30, 30, 2])) * k, hours=float(rng.uniform(0, 20)))
        died = admitted + timedelta(hours=float(rng.uniform(10, 200))) if rng.random() < 0.3 else None
        admissions.append((1000 * patient + k, admitted, admitted + timedelta(hours=150), died))
    last = admissions[-1][3]
    tables["PATIENTS"].append(
        {
            "SUBJECT_ID": str(patient),
            "GENDER": str(rng.choice(["F", "M", "", "X"])),
            "DOB": stamp(born.replace(hour=0)),
            "DOD": stamp(last.replace(hour=0, minute=0, second=0) if last else None),
        }
    )
    for admission, admitted, left, died in admissions:
        add_admission(tables, patient, (admission, admitted, left, died), rng, events)


def add_admission(tables, patient, times, rng, events):
    admission, admitted, left, died = times
    tables["ADMISSIONS"].append(
        {
            **{"SUBJECT_ID": str(patient), "HADM_ID": str(admission), "DEATHTIME": stamp(died)},
            **{"ADMITTIME": stamp(admitted), "DISCHTIME": stamp(left), "DIAGNOSIS": 'SEPSIS, "SEVERE"'},
            "ETHNICITY": str(
                rng.choice(["WHITE - RUSSIAN", "BLACK/CAPE VERDEAN", "ASIAN", "HISPANIC OR LATINO", "?"])
            ),
        }
    )
    for number, code in enumerate(rng.choice(CODES, int(rng.integers(0, 5)), replace=False), 1):
        row = {
            "SUBJECT_ID": str(patient),
            "HADM_ID": str(admission),
            "SEQ_NUM": str(number),
            "ICD9_CODE": str(code),
        }
        tables["DIAGNOSES_ICD"].append(row)
    for k in range(int(rng.choice([1, 1, 1, 1, 2]))):
        start = admitted + timedelta(hours=float(rng.uniform(0, 4)) + 60 * k, seconds=int(rng.integers(60)))
        start = start.replace(microsecond=0)
        hours = float(rng.choice([20.5, 47.9999, 48.0, 90.3]))
        wards = rng.choice([50, 51], 2) if rng.random() < 0.15 else (52, 52)
        stay = 10 * admission + k
        tables["ICUSTAYS"].append(
            {
                **{"SUBJECT_ID": str(patient), "HADM_ID": str(admission), "ICUSTAY_ID": str(stay)},
                **{"DBSOURCE": "carevue", "FIRST_CAREUNIT": "MICU", "LAST_CAREUNIT": "MICU"},
                **{"FIRST_WARDID": str(wards[0]), "LAST_WARDID": str(wards[1]), "INTIME": stamp(start)},
                **{"OUTTIME": stamp(start + timedelta(hours=hours)), "LOS": f"{hours / 24:.4f}"},
            }
        )
        add_events(
            tables, (patient, admission, stay), start, rng, int(rng.choice([0, 1, events, events, events]))
        )


def add_events(tables, ids, start, rng, count):
    """Add events from five hours before the stay to four days after its start, many at the same times."""
    moments = [
        start + timedelta(minutes=int(minute)) for minute in rng.integers(-300, 6000, max(1, count // 4))
    ]
    for _ in range(count):
        item = int(rng.choice([*ITEMS]))
        _, _, unit, place, _, values = ITEMS[item]
        patient, admission, stay = ids
        tables[PLACES[place]].append(
            {
                "SUBJECT_ID": str(patient),
                "HADM_ID": str(rng.choice([admission] * 9 + ["", 999])),
                "ICUSTAY_ID": str(rng.choice([stay] * 7 + ["", "", 888])),
                "ITEMID": str(item),
                "CHARTTIME": stamp(moments[int(rng.integers(len(moments)))]),
                "VALUE": str(rng.choice([*values, *values, ""])),
                "VALUEUOM": unit,
                "WARNING": "0",
            }
        )


def write_tables(folder, tables, ending=".csv", case=str.upper):
    """Write the tables with their columns, plain or compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    opener = {".csv": open, ".csv.gz": gzip.open, ".csv.xz": lzma.open}[ending]
    for name, rows in tables.items():
        columns = COLUMNS[name].split()
        with opener(folder / f"{case(name)}{ending}", "wt", newline="", encoding="utf-8") as handle:
            writer = csv.writer(handle, lineterminator="\n")
            writer.writerow(map(case, columns))
            writer.writerows([row.get(column, "") for column in columns] for row in rows)
    return folder


def write_resources(folder, test=TEST, val=VAL, patients=range(1, 31)):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "itemid_to_variable_map.csv", "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["LEVEL2", "LEVEL1", "STATUS", "ITEMID", "MIMIC LABEL", "LINKSTO", "COUNT", "FLUID"])
        for item, (variable, label, _, place, fluid, _) in ITEMS.items():
            writer.writerow([variable, "", "ready", item, label, f"{place}events", 10, fluid])
        writer.writerow(["Glucose", "", "verify", 99, "Not ready", "labevents", 5, "BLOOD"])
        writer.writerow(["Glucose", "", "ready", 98, "Never seen", "labevents", 0, "BLOOD"])
    groups = {
        name: {"use_in_benchmark": True, "type": "acute", "id": i, "codes": []}
        for i, name in enumerate(PHENOTYPES)
    }
    for code, place in CCS.items():
        groups[PHENOTYPES[place]]["codes"].append(code)
    groups["Other anemia"] = {"use_in_benchmark": False, "type": "x", "id": 99, "codes": ["2859"]}
    (folder / "hcup_ccs_2015_definitions.yaml").write_text(yaml.safe_dump(groups))
    for name, members in (("testset", test), ("valset", val)):
        lines = [f"{patient},{int(patient in members)}\n" for patient in patients]
        (folder / f"{name}.csv").write_text("".join(lines))
    return folder


def literal_items():
    return {str(item): (row[0], row[1]) for item, row in ITEMS.items() if row[0]}


def literal_groups():
    return {code: PHENOTYPES[place] for code, place in CCS.items()} | {"2859": "Other anemia"}


def simple_tables(events=(), codes=("4019",), gender="F", **first):
    """Return patients 1 (train), 2 (validation) and 3 (test) with one stay of 72 hours each.

    Args:
        events: of patient 1, (itemid, hour, value); the others have a heart rate in the second hour.
        codes: diagnoses of patient 1.
        gender: of patient 1.
        first: columns of patient 1's rows in PATIENTS, ADMISSIONS or ICUSTAYS to overwrite.
    """
    tables = {name: [] for name in COLUMNS}
    tables["D_ICD_DIAGNOSES"] = [
        {"ICD9_CODE": code, "SHORT_TITLE": code, "LONG_TITLE": code} for code in CODES[:6]
    ]
    for patient in (1, 2, 3):
        ids = {"SUBJECT_ID": str(patient), "HADM_ID": str(100 + patient)}
        stay = {"ICUSTAY_ID": str(200 + patient), "FIRST_WARDID": "1", "LAST_WARDID": "1", "LOS": "3.0"}
        stay |= {"FIRST_CAREUNIT": "MICU", "LAST_CAREUNIT": "MICU"}
        end = stamp(START + timedelta(hours=72))
        rows = {
            "PATIENTS": {**ids, "GENDER": gender, "DOB": "2100-01-01 00:00:00"},
            "ADMISSIONS": {**ids, "ADMITTIME": stamp(START), "DISCHTIME": end, "ETHNICITY": "WHITE"},
            "ICUSTAYS": {**ids, **stay, "INTIME": stamp(START), "OUTTIME": end},
        }
        for name, row in rows.items():
            row |= {
                key: value for key, value in first.items() if patient == 1 and key in COLUMNS[name].split()
            }
            tables[name].append(row)
        for number, code in enumerate(codes if patient == 1 else ["4019"], 1):
            tables["DIAGNOSES_ICD"].append({**ids, "SEQ_NUM": str(number), "ICD9_CODE": code})
        for item, hour, value in [(11, 1.5, "80"), *(events if patient == 1 else ())]:
            place = PLACES[ITEMS[item][3]]
            time = stamp(START + timedelta(hours=hour))
            event = {**ids, "ICUSTAY_ID": stay["ICUSTAY_ID"], "ITEMID": str(item), "CHARTTIME": time}
            tables[place].append({**event, "VALUE": value, "VALUEUOM": ITEMS[item][2]})
    return tables
