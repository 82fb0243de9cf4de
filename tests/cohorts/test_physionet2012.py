"""PhysioNet 2012: small made-up sets of the same shape."""

import hashlib
import re
import tarfile

import numpy as np
import pytest

from clinbench.cohorts import physionet2012
from clinbench.cohorts.physionet_features import FEATURES, STATIC_FEATURES
from clinbench.cohorts.physionet_parameters import SERIES, SERIES_LIMITS
from clinbench.errors import UserError

OPTIONS = {"train": ["a"], "test": ["b"], "validation_fraction": 0.3, "clip": None}
IDS = {"a": range(200001, 200013), "b": range(210001, 210005)}


def record(number, rng):
    lines = [
        f"00:00,RecordID,{number}",
        f"00:00,Age,{rng.integers(20, 90)}",
        f"00:00,Gender,{rng.integers(2)}",
    ]
    lines += [f"00:00,Height,{rng.choice([-1, 165, 180])}", f"00:00,ICUType,{rng.integers(1, 5)}"]
    lines += [f"00:00,Weight,{rng.choice([-1, 70, 91.5])}"]
    for minute in np.sort(rng.integers(1, 48 * 60 + 1, 60)):
        name = str(rng.choice(SERIES[:-1]))
        low, high = SERIES_LIMITS[name]
        lines.append(f"{minute // 60:02}:{minute % 60:02},{name},{rng.uniform(low, high):.2f}")
    return lines


def write_sets(root, seed=0):
    """Write sets a and b; return {letter: {id: lines}}."""
    rng = np.random.default_rng(seed)
    written = {letter: {n: record(n, rng) for n in numbers} for letter, numbers in IDS.items()}
    for letter, records in written.items():
        for number, lines in records.items():
            write_record(root, letter, number, lines)
        outcomes = [f"{n},-1,-1,5,-1,{int(n % 4 == 0)}" for n in records]
        head = "RecordID,SAPS-I,SOFA,Length_of_stay,Survival,In-hospital_death"
        (root / f"Outcomes-{letter}.txt").write_text("\n".join([head, *outcomes]) + "\n")
    return written


def write_record(root, letter, number, lines):
    (root / f"set-{letter}").mkdir(parents=True, exist_ok=True)
    (root / f"set-{letter}" / f"{number}.txt").write_text("\n".join(["Time,Parameter,Value", *lines]) + "\n")


def load(root, **options):
    return physionet2012.load({"physionet2012": root}, OPTIONS | options, None, "mortality")


def mean_and_std(seen):
    mean = sum(seen) / len(seen) if seen else None
    std = (sum((x - mean) ** 2 for x in seen) / (len(seen) - 1)) ** 0.5 if len(seen) > 1 else 0
    return mean, std if std > 1e-7 else 1.0


def literal(written, train):
    """All features by loops over stays, hours and parameters."""
    cells, statics, scale = {}, {}, {}
    for records in written.values():
        for number, lines in records.items():
            for time, name, text in (line.split(",") for line in lines):
                value = float(text)
                if name in ("Age", "Gender", "Height", "ICUType"):
                    statics[number, name] = None if value == -1 else value
                elif name in SERIES and value != -1:
                    minute = int(time[:2]) * 60 + int(time[3:])
                    cells[number, max(0, -(-minute // 60) - 1), name] = value

    for name in SERIES:
        scale[name] = mean_and_std([v for (n, _, one), v in cells.items() if n in train and one == name])
    for name in ("Age", "Gender", "Height"):
        known = [
            value for (n, one), value in statics.items() if n in train and one == name and value is not None
        ]
        scale[name] = mean_and_std(known)
    rows = []
    for number in sorted(n for records in written.values() for n in records):
        last = dict.fromkeys(SERIES, 0.0)
        for hour in range(48):
            for name in SERIES:
                if (number, hour, name) in cells and scale[name][0] is not None:
                    last[name] = (cells[number, hour, name] - scale[name][0]) / scale[name][1]
            row = [last[name] for name in SERIES] + [float((number, hour, name) in cells) for name in SERIES]
            row += [float(statics[number, "ICUType"] == kind) for kind in (1, 2, 3, 4)]
            for name in ("Age", "Gender", "Height"):
                value = statics[number, name]
                row.append(0.0 if value is None else (value - scale[name][0]) / scale[name][1])
            rows.append(row)
    return np.array(rows)


def test_equals_a_literal_reading(tmp_path):
    written = write_sets(tmp_path)
    cohort = load(tmp_path)
    assert cohort.stays.tolist() == [str(n) for numbers in IDS.values() for n in numbers]
    assert cohort.labels.tolist() == [float(int(n) % 4 == 0) for n in cohort.stays]
    assert cohort.features == FEATURES and len(FEATURES) == 81 and cohort.lengths.tolist() == [48] * 16
    assert set(cohort.split[12:]) == {"test"} and set(cohort.split[:12]) == {"train", "val"}
    train = {int(n) for n in cohort.stays[cohort.split == "train"]}
    np.testing.assert_allclose(cohort.values, literal(written, train), rtol=1e-4, atol=1e-5)


def test_statics_are_the_descriptors_at_admission(tmp_path):
    written = write_sets(tmp_path)
    lines = [line for line in written["a"][200003] if "Weight" not in line and "Gender" not in line]
    later = ["00:00,Gender,-1", "00:00,Weight,66", "00:30,Weight,99", "12:00,Weight,120"]
    write_record(tmp_path, "a", 200003, [*lines, *later])
    cohort = load(tmp_path)
    assert cohort.static_features == STATIC_FEATURES and cohort.statics.shape == (16, 10)
    described = {
        str(number): {
            name: float(text)
            for time, name, text in (line.split(",") for line in lines)
            if time == "00:00"
            and name in ("Age", "Gender", "Height", "ICUType", "Weight")
            and float(text) != -1
        }
        for records in (written["a"] | {200003: [*lines, *later]}, written["b"])
        for number, lines in records.items()
    }
    train = set(cohort.stays[cohort.split == "train"].tolist())
    scale = {
        name: mean_and_std([described[stay][name] for stay in sorted(train) if name in described[stay]])
        for name in ("Age", "Height", "Weight")
    }
    for row, stay in enumerate(cohort.stays.tolist()):
        known = described[stay]
        wanted = [float(known["ICUType"] == number) for number in (1, 2, 3, 4)]
        wanted += [float(known.get("Gender") == code) for code in (0, 1)] + [float("Gender" not in known)]
        wanted += [(known[n] - mean) / std if n in known else 0 for n, (mean, std) in scale.items()]
        np.testing.assert_allclose(cohort.statics[row], wanted, rtol=1e-5, atol=1e-6, err_msg=stay)
    assert cohort.statics[cohort.stays.tolist().index("200003"), 6] == 1


def test_split_of_a_record_depends_on_its_id_only(tmp_path):
    write_sets(tmp_path)
    cohort = load(tmp_path)
    for stay, split in zip(cohort.stays[:12].tolist(), cohort.split[:12].tolist(), strict=True):
        share = int(hashlib.blake2b(stay.encode(), digest_size=8).hexdigest(), 16) / 2**64
        assert split == ("val" if share < 0.3 else "train")


def test_packed_and_unpacked_are_the_same(tmp_path):
    write_sets(tmp_path / "plain")
    (tmp_path / "packed").mkdir()
    for letter in IDS:
        with tarfile.open(tmp_path / "packed" / f"set-{letter}.tar.gz", "w:gz") as archive:
            archive.add(tmp_path / "plain" / f"set-{letter}", f"set-{letter}")
        name = f"Outcomes-{letter}.txt"
        (tmp_path / "packed" / name).write_bytes((tmp_path / "plain" / name).read_bytes())
    assert load(tmp_path / "packed").fingerprint() == load(tmp_path / "plain").fingerprint()
    path = tmp_path / "packed" / "set-b.tar.gz"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match="set-b.tar.gz: truncated"):
        load(tmp_path / "packed")


def test_oddities_are_dropped_by_rule_and_counted(tmp_path):
    lines = write_sets(tmp_path)["a"][200003]
    before = load(tmp_path)
    odd = ["10:45,,1.9", "10:45,,text", "11:00,Lactat,2", "11:00,Lactat,x", "12:00,HR,", "12:00,Temp,-1"]
    odd += ["13:00,pH,735", "14:00,Temp,-17.8", "48:01,HR,80", "00:00,Height,-1"]
    write_record(tmp_path, "a", 200003, [line for line in lines if "Height" not in line] + odd)
    write_record(tmp_path, "a", 200003.5, [])
    (tmp_path / "set-a" / "200003.5.txt").rename(tmp_path / "set-a" / "Readme.txt")
    cohort = load(tmp_path)
    counts, old = cohort.info["sets"]["a"], before.info["sets"]["a"]
    assert counts["rows_without_parameter_name"] == 2
    assert counts["rows_of_unknown_parameters"] == {"Lactat": 2}
    assert counts["rows_without_value"] == 1 and counts["rows_after_48_hours"] == 1
    assert counts["values_unknown"]["Temp"] == 1
    assert counts["values_impossible"] == {"pH": 1, "Temp": 1}
    assert counts["records_with_unsorted_times"] == 1 and counts["files_that_are_no_records"] == 1
    assert counts["rows"] >= old["rows"] + 9
    masks = slice(len(SERIES), 2 * len(SERIES))
    np.testing.assert_array_equal(cohort.values[:, masks], before.values[:, masks])


def test_outliers(tmp_path):
    lines = write_sets(tmp_path)["a"][200003]
    write_record(tmp_path, "a", 200003, [*lines, "47:59,WBC,900", "47:59,pH,735"])
    kept = load(tmp_path, impossible="keep", clip=None)
    assert np.abs(kept.values[:, SERIES.index("pH")]).max() > 2
    clipped = load(tmp_path, clip=1.5)
    assert np.abs(clipped.values[:, : len(SERIES)]).max() == 1.5
    assert clipped.info["values_clipped"] > 0


def test_last_of_two_values_wins_and_times_are_sorted(tmp_path):
    lines = [line for line in write_sets(tmp_path)["a"][200003] if line.startswith("00:00")]
    write_record(tmp_path, "a", 200003, [*lines, "05:50,HR,70", "05:50,HR,60", "05:10,HR,50"])
    one = load(tmp_path).values[2 * 48 : 3 * 48, SERIES.index("HR")]
    write_record(tmp_path, "a", 200003, [*lines, "05:50,HR,60"])
    np.testing.assert_array_equal(one, load(tmp_path).values[2 * 48 : 3 * 48, SERIES.index("HR")])


def test_record_with_static_rows_only(tmp_path):
    lines = write_sets(tmp_path)["b"][210002]
    write_record(tmp_path, "b", 210002, lines[:5])
    cohort = load(tmp_path)
    assert cohort.info["sets"]["b"]["records_without_measurements"] == 1
    part = cohort.values[13 * 48 : 14 * 48]
    assert not part[:, : 2 * len(SERIES)].any() and part[:, 2 * len(SERIES) :].any()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("10:00,HR,fast", "line 68, column 'Value': 'fast' (HR) is not a number"),
        ("10:00,HR,inf", "line 68, column 'Value': 'inf' (HR) is not a number"),
        ("10:75,HR,80", "line 68, column 'Time': '10:75' (HR) is not a time HH:MM"),
        ("ten,HR,80", "line 68, column 'Time': 'ten' (HR)"),
        (",HR,80", "line 68, column 'Time': '' (HR)"),
        ("10:00,HR", "line 68: 2 fields where the header has 3"),
        ("00:00,ICUType,7", "'7' (ICUType) is not one of 1, 2, 3, 4, or -1 for unknown"),
        ("00:00,RecordID,5", "'5' (RecordID) is not the number in the file's name"),
    ],
)
def test_mistakes_in_a_record_are_placed(tmp_path, line, message):
    lines = write_sets(tmp_path)["a"][200003]
    write_record(tmp_path, "a", 200003, [*lines, line])
    with pytest.raises(UserError, match=f"200003.txt, .*{re.escape(message)}"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("", "299999,0\n"), "Record 299999 of Outcomes-b.txt has no file in set-b"),
        (("210002,0\n", ""), "Record 210002 of set-b has no line in Outcomes-b.txt"),
        (("210002,0\n", "210001,0\n"), "line 3: record '210001' is there before, in line 2"),
        (("210001,0", "210001,-1"), "line 2, column 'In-hospital_death': '-1' is not 0 or 1"),
        (("In-hospital_death", "Death"), "line 1: the header has no column 'In-hospital_death'"),
    ],
)
def test_mistakes_in_outcomes_are_placed(tmp_path, change, message):
    write_sets(tmp_path)
    lines = ["RecordID,In-hospital_death", *(f"{number},0" for number in IDS["b"])]
    old, new = change
    text = "\n".join(lines) + "\n"
    (tmp_path / "Outcomes-b.txt").write_text(text.replace(old, new) if old else text + new)
    with pytest.raises(UserError, match=message):
        load(tmp_path)


def test_what_is_missing_can_be_downloaded(tmp_path):
    write_sets(tmp_path)
    (tmp_path / "set-a").rename(tmp_path / "seta")
    with pytest.raises(
        UserError, match="no records set-a/.*Download set-a.tar.gz from https://physionet.org"
    ):
        load(tmp_path)
    (tmp_path / "Outcomes-b.txt").unlink()
    with pytest.raises(UserError, match="no Outcomes-b.txt in it. Download it from https://physionet.org"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": ["d"]}, "no set 'd'; the sets are a, b, c"),
        ({"train": ["a", "b"]}, "Set 'b' is in both 'train' and 'test'"),
        ({"train": []}, "'train' names no set"),
        ({"validation_fraction": 0}, "validation_fraction is 0"),
        ({"validation_fraction": 1e-9}, "'val' has no stays"),
        ({"test": ["c"]}, "no Outcomes-c.txt"),
    ],
)
def test_options_that_cannot_be(tmp_path, options, message):
    write_sets(tmp_path)
    with pytest.raises(UserError, match=message):
        load(tmp_path, **options)


def test_missing_and_empty_folder(tmp_path):
    with pytest.raises(UserError, match="the folder is empty"):
        load(tmp_path)
    with pytest.raises(UserError, match="no such file or folder"):
        load(tmp_path / "nowhere")
