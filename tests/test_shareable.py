"""What may leave the site, and what may not, with the reason; ids are those of MIMIC-III, of five digits."""

import json

import pytest

from clinbench.governance import hide
from clinbench.provenance import REQUIRED
from clinbench.reporting.admission import COLUMNS
from clinbench.reporting.data_tables import COHORT_STATISTICS, STAY_LENGTHS, cohort_statistics, stay_lengths
from clinbench.reporting.study_rows import cohort_rows, length_rows
from clinbench.shareable import Site, reasons_to_refuse

PATIENTS = [10006, 10011, 40124, 249, 44228]
STAYS = [f"{patient}_episode1_timeseries.csv" for patient in PATIENTS]
IDS = frozenset({*map(str, PATIENTS), *STAYS, "211552", "line:12", "S0004-06142005001000011-1"})
SITE = Site(IDS, {"mimic3": "MIMIC-III"}, {"mimic3": 20})
ROW = dict.fromkeys(COLUMNS, "") | {
    **{"track": "risk", "task": "mortality", "dataset": "mimic3", "model": "mortality_lstm", "system": "bce"},
    **{"subset": "all", "metric": "auroc", "value": "0.86", "n": "3236", "n_valid": "1000", "seeds": "1"},
}
HEAD = ",".join(COLUMNS)
SIZES = ",".join(COHORT_STATISTICS.keys) + "\n"
LENGTHS = ",".join(STAY_LENGTHS.keys) + "\n"


def csv_of(*rows):
    return "\n".join([HEAD, *(",".join(map(str, {**ROW, **row}.values())) for row in rows), ""])


def record(**more):
    return json.dumps(
        {"rule": "evaluate_risk", "n": 3236, "wildcards": {"seed": "249", "row": "bce"}, **more}
    )


def pair_of(**more):
    known = {"first": "bce", "second": "csce", "metric": "auroc", "difference": -0.004, "se": 0.002}
    tested = {"interval": [-0.01, 0.002], "p": 0.04, "p_bootstrap": 0.05, "p_delong": None, "n_valid": 990}
    tested |= {"se_units": 0.001, "se_seeds": 0.0017, "df": 4, "n_swaps": 1000}
    return known | tested | {"note": "undefined in 10 of 1000 resamples, which are left out"} | more


def compared(**more):
    """Return a paired.json of a small cohort that has more pairs than a split has stays."""
    names = [f"row_{at}" for at in range(8)]
    pairs = [pair_of(first=one, second=other) for one in names for other in names if one < other]
    pairs[0] |= more
    known = {
        "seeds": [0],
        "search": {"budget": 6, "selection": "validation", "alike": True},
        "values": {"auroc": {"sd": 0.01}},
    }
    return record(
        dataset="mimic3", model="lstm", level="", unit="patient", groups=3100, seeds=[0], draws=1000, training_draws=3,
        systems=dict.fromkeys(names, known), absent={"mpnet": "not at hand"}, pairs=pairs,
    )  # fmt: skip


REFUSED = [
    ("a.csv", "stay,prediction,y_true\n1,0.5,0\n", "line 1: the columns are not those of a table"),
    (
        "a.csv",
        "dataset,who,value\n" + "".join(f"mimic3,{one},.5\n" for one in PATIENTS),
        "line 1: the columns",
    ),
    ("a.csv", "dataset,id,prediction\nmimic3,10006,.5\n", "line 1: the columns"),
    ("a.csv", "dataset,y_true,prediction\nmimic3,1,.5\n", "line 1: the columns"),
    ("a.csv", "dataset,task,metric,value,n\nmimic3,10006/episode1,auroc,.5,100\n", "line 1: the columns"),
    ("a.csv", "dataset,group,died,survived\nmimic3,asian,2,3\n", "line 1: the columns"),
    ("a.csv", "dataset,Stay Name,value\nmimic3,10006 ep 1,.5\n", "line 1: the columns"),
    ("a.csv", "dataset;stay\nmimic3;10006", "line 1: the columns"),
    ("a.csv", "", "line 1: the columns"),
    ("a.csv", csv_of({}, {"system": "10006"}), "line 3, column 'system': it holds an id"),
    ("a.csv", csv_of({"subset": "of 10006"}), "line 2, column 'subset': it holds an id"),
    ("a.csv", csv_of({"subset": "249"}), "line 2, column 'subset': it holds an id"),
    ("a.csv", csv_of({"model": "line:12"}), "column 'model': it holds an id"),
    ("a.csv", csv_of({"value": "10006"}), "column 'value': it is no number that belongs there"),
    ("a.csv", csv_of({"n": "14 (2)"}), "column 'n': it is no number that belongs there"),
    ("a.csv", csv_of({"n": "9"}), "line 2, column 'n': a count from 1 to 9"),
    ("a.csv", csv_of(*[{}] * 20), "it has as many rows as a split has stays"),
    ("a.csv", csv_of({}).strip() + ",10006\n", "more or fewer cells than columns"),
    ("a.csv", SIZES + "mimic3,mortality,val,5,40,1,12,0.1\n", "column 'stays': a count from 1 to 9"),
    ("a.csv", SIZES + "mimic3,mortality,val,50,40,1,2,0.1\n", "column 'positives': a count from 1 to 9"),
    ("a.csv", LENGTHS + "mimic3,mortality,val,500,70,5,48,2804,1\n", "column 'max': it is the value of one"),
    ("a.md", "| 10006_episode1 | .9 |", "line 1: it names a stay"),
    ("a.tex", "x\n10006_episode1_timeseries.csv & .9", "line 2: it names a stay"),
    ("a.md", "| who | p |\n| 10006 | 0.5 |", "line 2: it holds an id"),
    ("a.md", "| 249 | 0.5 |", "line 1: it holds an id"),
    ("a.md", "patients 10006 and 10011 were misclassified", "line 1: it holds an id"),
    ("a.md", "ids: 10006;10011", "line 1: it holds an id"),
    ("a.tex", r"LSTM & 10006 & 10011 \\", "line 1: it holds an id"),
    ("a.json", record(rows=[{"patient": "10006"}]), "under key 'rows': a key that no record has"),
    ("a.json", record(worst=[{"id": 10006, "p": 0.5}]), "a key that no record has"),
    ("a.json", record(settings={str(one): 0.5 for one in PATIENTS}), "under key 'settings': a key is an id"),
    ("a.json", record(**{"10006": 0.5}), "a key is an id"),
    ("a.json", record(rows=[[10006, 0.5]]), "key 'rows': it has lists of lists"),
    (
        "a.json",
        record(made_of=["risk/mimic3"], positives=[50] * 20),
        "key 'positives': it lists as many values as a split has stays",
    ),
    (
        "a.json",
        record(rule="of mimic3", settings={f"{one}x": 0.5 for one in range(20)}),
        "key 'settings': it lists as many",
    ),
    ("a.json", record(selection="10006"), "key 'selection': it holds an id"),
    ("a.json", record(selection="best on S0004-06142005001000011-1"), "key 'selection': it holds an id"),
    ("a.json", record(made_of=["10006"]), "key 'made_of': it holds an id"),
    ("a.json", record(rows=[{"value": 10006}]), "key 'rows.value': it is no number that belongs there"),
    (
        "a.json",
        record(made_of=["risk/mimic3"], splits={"val": {"stays": 5}}),
        "'splits.val.stays': a count from",
    ),
    ("a.json", record(made_of=["risk/mimic3"], positives=[50, 3]), "key 'positives': a count from 1 to 9"),
    (
        "a.json",
        record(selection="MIMIC-III", label_positives={"x": 3}),
        "'label_positives': a count from 1 to 9",
    ),
    (
        "a.json",
        record(selection="MIMIC-III", group_stays={"Unit: surgical": 7}),
        "'group_stays': a count from 1 to 9",
    ),
    (
        "a.json",
        record(selection="MIMIC-III", bins=[{"negatives": 300, "positives": 4}]),
        "'bins.positives': a count from 1 to 9",
    ),
    ("a.json", record(bins=[{"observed": 10006}]), "'bins.observed': it is no number that belongs there"),
    ("a.csv", csv_of({"metric": "brier_skill", "value": "10006"}), "column 'value': it is no number"),
    ("a.json", compared(first="10006"), "key 'pairs.first': it holds an id"),
    ("a.json", compared(p=1.5), "key 'pairs.p': it is no number that belongs there"),
    ("a.json", compared(stay=3), "under key 'pairs': a key that no record has"),
    (
        "a.json",
        record(dataset="mimic3", pairs=[pair_of() for _ in range(20)]),
        "key 'pairs': it lists as many values as a split has stays",
    ),
    *(("a.json", text, "cannot be read") for text in ("{", "[" * 100_000, "9" * 5000)),
    ("a.json", "[10006]", "it is no record"),
    ("a.npz", "x", "files of this type"),
    ("a.parquet", "x", "files of this type"),
]


@pytest.mark.parametrize(("name", "text", "reason"), REFUSED)
def test_what_is_refused_without_repeating_the_id(tmp_path, name, text, reason):
    path = tmp_path / name
    path.write_text(text)
    found = "; ".join(reasons_to_refuse(path, SITE))
    assert reason in found
    assert not [one for one in IDS if one in found]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", csv_of(*[{"n": "10006"}] * 19)),  # a number may equal an id
        ("a.csv", csv_of({"n": "<10", "value": ""})),
        ("a.csv", csv_of({"dataset": "synthetic", "n": "9"})),
        ("a.csv", SIZES + "mimic3,mortality,val,3222,3000,1,<10,\n"),
        ("a.csv", LENGTHS + "mimic3,mortality,val,3222,87.9,12.3,,,1.5\n"),
        ("a.md", "| LSTM | .861 (.005) | n = 12,345, .10006 |\n\nCommit 9a10006b."),
        ("a.tex", r"LSTM & .861 & n = 10{,}006 \\"),
        ("a.csv", csv_of({"metric": "brier_skill", "value": "-1.3", "ci_low": "-2", "ci_high": "-0.2"})),
        ("a.csv", csv_of({"subset": "Sex: female", "n": "1420"}, {"subset": "Age: 45–64", "n": "hidden"})),
        (
            "a.json",
            record(made_of=["risk/mimic3"], group_positives={"Sex: male": 200, "Sex: other": "hidden"}),
        ),
        (
            "a.json",
            record(selection="MIMIC-III", bins=[{"positives": "<10", "observed": None, "predicted": 0.1}]),
        ),
        ("a.json", compared()),
        ("a.json", record(selection="MIMIC-III", positives=[400, 0, 10006], splits={"val": {"stays": 3222}})),
        ("a.json", record(splits={"val": {"stays": 5}})),  # of open data
        ("a.json", record(git_commit="a10006b", facts={"value": "sample", "label_positives": {"Shock": 30}})),
    ],
)
def test_aggregates_pass(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert reasons_to_refuse(tmp_path / name, SITE) == []


HOURS = {"mean": 70.0, "std": 5.0, "min": 48, "max": 2804, "skewness": 1.0}
RUN = (
    dict.fromkeys(REQUIRED, 1)
    | {"git_commit": None}
    | {"git_dirty": False, "data_fingerprint": {"stays": 300, "sha256": "ab"}}
)


@pytest.mark.parametrize(
    ("build", "rows_of", "told"),
    [(cohort_statistics, cohort_rows, "7"), (stay_lengths, length_rows, "2,804")],
)
def test_small_cells_are_marked_in_every_format(tmp_path, build, rows_of, told):
    part = {"stays": 100, "patients": 90, "positives": 20, "share": 0.2, "hours": HOURS}
    statistics = {
        "train": part,
        "val": part | {"positives": 7, "share": 0.07},
        "test": part | {"positives": 33},
    }
    exact = RUN | {"wildcards": {"cohort": "mimic3", "task": "mortality"}, "statistics": statistics}
    for number, run in enumerate((exact, hide(exact))):
        table = build(rows_of(run), {}, [run])
        texts = {"csv": table.to_csv(), "md": table.to_markdown(), "tex": table.to_latex()}
        for suffix, text in texts.items():
            (tmp_path / f"a.{suffix}").write_text(text)
        assert bool(reasons_to_refuse(tmp_path / "a.csv", SITE)) == (number == 0)
        if number and build is cohort_statistics:
            assert texts["csv"].count("<10") == 2
            assert texts["md"].count("<10") == 2 and texts["tex"].count(r"\textless{}10") == 2
            assert "7.00 %" not in texts["md"] + texts["tex"] and "0.07" not in texts["csv"]
        elif number:
            ours = [line for line in texts["md"].splitlines() if line.startswith("| Validation")]
            assert ours and told not in ours[0]


def test_records_of_the_workflow_may_leave(tmp_path):
    points = [{"system": "x", "sizes": [1, 2], "ceiling": [0.1, 0.2], "scores": {"recall": [0.1, 0.2]}}]
    fits = {"CSCE": {"hinge": {"largest_error": 0.7, "at": 0.0, "absolute": [[-8.0, -3.0], [3.0, 8.0]]}}}
    for more in (
        {"git_dirty": True},
        {"git_dirty": False, "facts": {"synthetic": True}},
        {"points": points},
        {"fits": fits},
    ):
        (tmp_path / "a.json").write_text(json.dumps(RUN | {"n": 300} | more))
        assert reasons_to_refuse(tmp_path / "a.json", SITE) == [], more
    for rows in ([[10006.0, 1.0, 0.5]], [["a", 1.0]]):
        (tmp_path / "a.json").write_text(json.dumps({"fits": {"x": rows}}))
        assert reasons_to_refuse(tmp_path / "a.json", SITE)
