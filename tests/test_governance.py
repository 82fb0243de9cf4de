"""Small cells are hidden before a shared file is written."""

from clinbench.governance import hide, suppress


def test_small_cells_are_hidden_and_cannot_be_worked_out():
    assert suppress([120, 56]) == [120, 56]
    assert suppress([120, 9, 56]) == [120, None, None]
    assert suppress([120, 9, 0, 56]) == [120, None, None, 56]
    assert suppress([3]) == [None] and suppress([]) == []
    assert suppress([10, 30]) == [10, 30]


def split(stays, positives, **more):
    return {"stays": stays, "positives": positives, **more}


def test_a_split_takes_another_with_it():
    found = hide({"train": split(300, 40), "val": split(60, 4), "test": split(80, 20), "sha256": "5"})
    assert found == {
        "train": split(300, 40),
        "val": split(60, "<10"),
        "test": split(80, "<10"),
        "sha256": "5",
    }
    found = hide(
        {name: split(50, one) for name, one in (("train", [3, 20]), ("val", [11, 30]), ("test", [12, 13]))}
    )
    assert [found[name]["positives"] for name in ("train", "val", "test")] == [
        ["<10", 20],
        ["<10", 30],
        [12, 13],
    ]


def test_statistics_lose_what_would_tell_a_hidden_count_and_the_extreme_lengths():
    hours = {"mean": 70.0, "std": 5.0, "min": 48, "max": 2804, "skewness": 1.0}
    found = hide({"stays": 50, "patients": 45, "positives": 4, "share": 0.08, "hours": hours})
    assert found["positives"] == "<10" and found["share"] is None
    assert found["hours"] == hours | {"min": None, "max": None}
    assert hide({"stays": 9, "positives": 3, "hours": hours})["hours"] == dict.fromkeys(hours)
    assert hide(split(50, 43)) == split(50, "<10")  # the negatives are few
    assert hide(split(50, 0)) == split(50, 0)
    assert hide(split(9, 0)) == split("<10", 0)


def test_metrics_on_few_samples_lose_their_numbers():
    rows = [
        {"metric": "auroc", "value": 0.9, "std": 0.1, "ci_low": 0.8, "ci_high": 1.0, "n": n} for n in (9, 10)
    ]
    hidden, shown = hide(rows)
    assert hidden == {"metric": "auroc", "n": "<10"} | dict.fromkeys(("value", "std", "ci_low", "ci_high"))
    assert shown == rows[1]


def test_facts_of_metrics_hide_few_positives_and_few_negatives():
    labels = {"a": 3, "b": 30, "c": 20, "d": 195}
    record = {
        "rows": [{"n": 200, "value": 0.5}],
        "facts": {"positives": 192, "label_positives": labels, "pool": 5, "search_budget": 6},
        "provenance": [{"n": 200, "data_fingerprint": {"docs": 4, "rows": 9}}],
    }
    found = hide(record)
    assert found["facts"]["label_positives"] == {"a": "<10", "b": 30, "c": "<10", "d": "<10"}
    assert found["facts"] | {"label_positives": labels} == record["facts"] | {"positives": "<10"}
    assert found["provenance"][0] == {"n": 200, "data_fingerprint": {"docs": "<10", "rows": 9}}
    sizes = {"train_sizes": {"0.01": {"n": [99, 98], "positives": [7, 12]}}}
    assert hide(sizes)["train_sizes"]["0.01"] == {"n": [99, 98], "positives": ["<10", 12]}


def test_comparisons_on_few_stays_are_hidden():
    pair = {"first": "bce", "second": "csce", "metric": "auroc", "difference": 0.1, "p": 0.03, "note": None}
    record = {"n": 8, "groups": 7, "systems": {"bce": {"seeds": [0], "values": {"auroc": {"mean": 0.8}}}}}
    found = hide(record | {"pairs": [pair]})
    assert (found["n"], found["groups"]) == ("<10", "<10")
    assert found["pairs"][0]["difference"] is None and found["pairs"][0]["p"] is None
    assert found["pairs"][0]["first"] == "bce" and "values" not in found["systems"]["bce"]
    many = record | {"n": 80, "groups": 70, "pairs": [pair]}
    assert hide(many) == many
