"""The benchmark's steps on raw tables, row by row in plain Python, as the specification has them (risk.md §1).

Slow, and written to be read; the library is compared with it cell by cell.
"""

import csv
import re
from collections import defaultdict
from datetime import datetime

from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.mimic.diagnoses import FLAGS

NUMBER = re.compile(r"^(\d+(\.\d*)?|\.\d+)$")
MISSING = {"", "NA", "N/A", "NULL", "NaN", "nan", "null", "n/a", "#N/A"}
EPSILON = 1e-6
GENDER = {"F": 1, "M": 2, "": 0}
ETHNICITY = {
    **{"ASIAN": 1, "BLACK": 2, "CARIBBEAN ISLAND": 2, "HISPANIC": 3, "SOUTH AMERICAN": 3, "WHITE": 4},
    **{"MIDDLE EASTERN": 4, "PORTUGUESE": 4},
}


def read(folder, name, opener=open, ending=""):
    with opener(folder / f"{name}.csv{ending}", "rt", newline="", encoding="utf-8") as handle:
        return [{key.lower(): value for key, value in row.items()} for row in csv.DictReader(handle)]


def time(text):
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S") if text else None


def between(start, moment, end):
    return bool(moment and start and end and start <= moment <= end)


def cohort(tables):
    """Return the stays in the order of ICUSTAYS, and the number left by each rule."""
    admissions = {(a["subject_id"], a["hadm_id"]): a for a in tables["ADMISSIONS"]}
    patients = {p["subject_id"]: p for p in tables["PATIENTS"]}
    stays = [
        stay
        for stay in tables["ICUSTAYS"]
        if stay["first_wardid"] == stay["last_wardid"] and stay["first_careunit"] == stay["last_careunit"]
    ]
    funnel = [len(tables["ICUSTAYS"]), len(stays)]
    stays = [
        admissions[s["subject_id"], s["hadm_id"]] | patients[s["subject_id"]] | s
        for s in stays
        if (s["subject_id"], s["hadm_id"]) in admissions and s["subject_id"] in patients
    ]
    admitted = [stay["hadm_id"] for stay in stays]
    stays = [stay for stay in stays if admitted.count(stay["hadm_id"]) == 1]
    funnel.append(len(stays))
    for stay in stays:
        for name in ("intime", "outtime", "admittime", "dischtime", "deathtime", "dob", "dod"):
            stay[name] = time(stay[name])
        age = (stay["intime"] - stay["dob"]).total_seconds() / 60 / 60 / 24 / 365
        stay["age"] = 90.0 if age < 0 else age
        for name, start, end in (("unit", "intime", "outtime"), ("hospital", "admittime", "dischtime")):
            deaths = (stay["dod"], stay["deathtime"])
            stay[name] = int(any(between(stay[start], death, stay[end]) for death in deaths))
    stays = [stay for stay in stays if stay["age"] >= 18]
    funnel.append(len(stays))
    by_patient = defaultdict(list)
    for stay in sorted(stays, key=lambda stay: (stay["intime"], stay["outtime"])):
        by_patient[stay["subject_id"]].append(stay)
        stay["episode"] = len(by_patient[stay["subject_id"]])
    return stays, funnel


def validated(tables, stays):
    """Return the valid events with their ICUSTAY_ID, by patient, in the order of the tables; and counts."""
    place = {(stay["subject_id"], stay["hadm_id"]): stay["icustay_id"] for stay in stays}
    subjects = {stay["subject_id"] for stay in stays}
    events, counts = defaultdict(list), defaultdict(int)
    for name in ("CHARTEVENTS", "LABEVENTS", "OUTPUTEVENTS"):
        for row in tables[name]:
            if row["subject_id"] not in subjects:
                continue
            counts["events_of_patients"] += 1
            stay = place.get((row["subject_id"], row["hadm_id"]))
            if not row["hadm_id"]:
                counts["events_without_admission"] += 1
            elif stay is None:
                counts["events_of_other_admissions"] += 1
            elif row.get("icustay_id") and row["icustay_id"] != stay:
                counts["events_of_other_stays"] += 1
            else:
                counts["icustay_ids_recovered"] += not row.get("icustay_id")
                counts["events_valid"] += 1
                events[row["subject_id"]].append(row | {"icustay_id": stay})
    return events, counts


def cleaned(variable, text, unit, label):
    """Return the value of one event: a number, a text, or None."""
    unit, label = unit.lower(), label.lower()
    if variable == "Capillary refill rate":
        return {"Normal <3 secs": 0.0, "Brisk": 0.0, "Abnormal >3 secs": 1.0, "Delayed": 1.0}.get(text)
    if variable in ("Systolic blood pressure", "Diastolic blood pressure"):
        if "/" in text:
            return float(text.split("/")[variable.startswith("D")])
        return float(text)
    if variable == "Fraction inspired oxygen":
        return float(text) if "torr" in unit else float(text) / 100.0
    if variable in ("Glucose", "pH"):
        return float(text) if NUMBER.match(text) else None
    if variable == "Oxygen saturation":
        if not NUMBER.match(text):
            return None
        return float(text) * 100.0 if float(text) <= 1 else float(text)
    if variable == "Temperature":
        return (float(text) - 32) * 5.0 / 9 if float(text) >= 79 else float(text)
    if variable == "Weight":
        value = float(text)
        if "oz" in unit or "oz" in label:
            return value / 16.0 * 0.453592
        return value * 0.453592 if "lb" in unit or "lb" in label else value
    if variable == "Height":
        return float(round(float(text) * 2.54)) if "in" in unit or "in" in label else float(text)
    return text


def patient_rows(events, items):
    """Return {(time, variable): value} and the set of (time, stay) of one patient."""
    values, visits = defaultdict(list), set()
    for row in events:
        if row["itemid"] not in items or row["value"] in MISSING:
            continue
        variable, label = items[row["itemid"]]
        value = cleaned(variable, row["value"], row["valueuom"], label)
        if value is not None:
            moment = time(row["charttime"])
            values[moment, variable].append(value)
            visits.add((moment, row["icustay_id"]))
    return {key: sorted(found)[-1] for key, found in values.items()}, visits


def episodes(tables, stays, items):
    """Return {(patient, k): rows}, a row being (hours, {variable: value}); stays without rows are left out."""
    events, _ = validated(tables, stays)
    found = {}
    for subject in {stay["subject_id"] for stay in stays}:
        values, visits = patient_rows(events[subject], items)
        for stay in (stay for stay in stays if stay["subject_id"] == subject):
            rows = []
            for moment, of_stay in visits:
                if of_stay == stay["icustay_id"] or between(stay["intime"], moment, stay["outtime"]):
                    cells = {name: values[moment, name] for name in NAMES if (moment, name) in values}
                    rows.append(((moment - stay["intime"]).total_seconds() / 60 / 60, cells))
            if rows:
                found[subject, stay["episode"]] = sorted(rows, key=lambda row: row[0])
    return found


def diagnosed(tables, stays):
    """Return {stay: [code]} of diagnoses that the dictionary knows."""
    known = {row["icd9_code"] for row in tables["D_ICD_DIAGNOSES"]}
    place = {(stay["subject_id"], stay["hadm_id"]): stay["icustay_id"] for stay in stays}
    codes = defaultdict(list)
    for row in tables["DIAGNOSES_ICD"]:
        key = (row["subject_id"], row["hadm_id"])
        if key in place and row["icd9_code"] in known:
            codes[place[key]].append(row["icd9_code"])
    return codes


def episode_row(stay, rows, codes, codes_of_patient):
    """Return the fields of episode{k}.csv, or None where it has a header only."""
    if not codes:
        return None
    group = stay["ethnicity"].replace(" OR ", "/").split(" - ")[0].split("/")[0]
    first = {}
    for name in ("Height", "Weight"):
        measured = [cells[name] for _, cells in rows if name in cells]
        first[name] = measured[0] if measured else None
    digits_only = all(code.isdigit() for code in codes_of_patient)
    flags = [int(code in codes and not digits_only) for code in FLAGS]
    return [
        float(stay["icustay_id"]),
        float(ETHNICITY.get(group, 0)),
        float(GENDER.get(stay["gender"], 3)),
        *(stay["age"], first["Height"], first["Weight"], float(stay["los"]), float(stay["hospital"])),
        *map(float, flags),
    ]


def run(tables, items, groups, phenotypes, test, val):
    """Return the benchmark's files as values: root episodes and series, tasks, counts."""
    stays, funnel = cohort(tables)
    series = episodes(tables, stays, items)
    codes = diagnosed(tables, stays)
    root, tasks = {}, {"in-hospital-mortality": {}, "phenotyping": {}}
    for stay in stays:
        subject, key = stay["subject_id"], (stay["subject_id"], stay["episode"])
        of_patient = [
            code for other in stays if other["subject_id"] == subject for code in codes[other["icustay_id"]]
        ]
        if key not in series:
            continue
        mine = codes[stay["icustay_id"]]
        root[key] = episode_row(stay, series[key], mine, of_patient)
        if root[key] is None or not stay["los"]:
            continue
        split = "test" if subject in test else "val" if subject in val else "train"
        name, end = f"{subject}_episode{stay['episode']}_timeseries.csv", 24.0 * float(stay["los"])
        rows = [row for row in series[key] if -EPSILON < row[0] < 48 + EPSILON]
        if end >= 48 - EPSILON and rows:
            tasks["in-hospital-mortality"][name] = (split, [str(stay["hospital"])], rows)
        rows = [row for row in series[key] if -EPSILON < row[0] < end + EPSILON]
        if rows:
            labels = [str(int(any(groups.get(c) == name for c in mine))) for name in phenotypes]
            tasks["phenotyping"][name] = (split, [f"{end:.6f}", *labels], rows)
    return {"stays": stays, "funnel": funnel, "series": series, "root": root, "tasks": tasks}
