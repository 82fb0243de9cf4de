"""Rows of the tables that show no metrics, from the run records of what they tell of."""

SPLITS = ("train", "val", "test")
COLUMNS = (
    "scr_weight",
    "batch_size",
    "init",
    "epoch",
    "score",
)  # of a chosen setting; the rest is told in words


def cohort_rows(record: dict) -> list[dict]:
    """Return the sizes of each split from the record of a cohort's tensors."""
    rows = []
    for split in SPLITS:
        counted = record["statistics"][split]
        labels = len(counted.get("positives_of_each", [0]))
        numbers = {key: counted[key] for key in ("stays", "patients", "positives", "share")}
        rows.append({**_cohort(record), "split": split, "labels": labels, **numbers})
    return rows


def length_rows(record: dict) -> list[dict]:
    """Return the lengths of stay of each split from the record of a cohort's tensors."""
    parts = [(split, record["statistics"][split]) for split in SPLITS]
    return [
        {**_cohort(record), "split": split, "stays": part["stays"], **part["hours"]} for split, part in parts
    ]


def setting_rows(record: dict) -> list[dict]:
    """Return the setting a row and seed selected, from the record of its predictions."""
    names, chosen = record["wildcards"], record["selected"]
    other = {key: value for key, value in chosen.items() if key not in (*COLUMNS, "index", "trainings")}
    selection, metric = record["selection"].split()
    return [
        {
            "dataset": names["cohort"],
            "task": record["task"],
            "model": names["model"],
            "system": names["row"],
            "seed": record["seed"],
            **{key: chosen.get(key) for key in COLUMNS},
            "metric": metric,
            "n": record["data_fingerprint"]["splits"]["test" if selection == "test" else "val"]["stays"],
            "selection": record["selection"],
            "other": ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in other.items()),
        }
    ]


def search_rows(record: dict) -> list[dict]:
    """Return the trainings of a row and seed, from the record of the audit of its search."""
    names, splits = record["wildcards"], record["data_fingerprint"]["splits"]
    selection, metric = record["selection"].split()
    return [
        {
            "dataset": names["cohort"],
            "task": record["task"],
            "model": names["model"],
            "system": names["row"],
            "seed": record["seed"],
            "metric": metric,
            "selection": selection,
            "n": splits["test"]["stays"],
            "held_out": splits["test" if selection == "test" else "val"]["stays"],
            "trainings": record["audit"],
        }
    ]


def time_rows(record: dict) -> list[dict]:
    """Return the ratios of each loss from the record of a timing."""
    names = record["wildcards"]
    return [
        {
            "dataset": names["cohort"],
            "model": names["model"],
            "system": row,
            "ratios": ratios,
            "batch_size": record["batch_size"],
            "device": record["device"],
            "n": record["n"],
        }
        for row, ratios in record["ratios"].items()
    ]


def _cohort(record: dict) -> dict:
    return {"dataset": record["wildcards"]["cohort"], "task": record["wildcards"]["task"]}
