"""The resource tables: their shape, a download that is checked, and mistakes in them."""

import hashlib

import pytest
from tests.mimic3.tables import TEST, VAL, write_resources

from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.mimic import resources as module
from clinbench.cohorts.mimic.resources import download, read_resources
from clinbench.cohorts.phenotypes import NAMES as PHENOTYPES
from clinbench.errors import UserError


def test_what_is_read(resources):
    found = read_resources(resources)
    assert found.phenotypes == sorted(PHENOTYPES) and found.groups["0389"] == "Septicemia (except in labor)"
    assert found.test == TEST and found.val == VAL and found.listed == set(range(1, 31))
    assert not found.official
    items = {row["itemid"]: row for row in found.items.iter_rows(named=True)}
    assert 99 not in items and 98 not in items and 25 not in items  # not ready, never seen, no variable
    assert NAMES[items[9]["variable"]] == NAMES[items[10]["variable"]] == "Glucose"
    assert items[9]["blood"] and not items[10]["blood"] and items[11]["blood"]
    assert items[20]["label"] == "admission weight (lbs.)"


def test_a_download_is_checked_and_made_once(resources, tmp_path, monkeypatch):
    digests = {
        name: (".", hashlib.sha256((resources / name).read_bytes()).hexdigest()) for name in module.FILES
    }
    monkeypatch.setattr(module, "FILES", digests)
    place = download(tmp_path / "new", source=resources.as_uri())
    assert read_resources(place).official
    (resources / "testset.csv").write_text("1,1\n")
    download(place, source=resources.as_uri())  # all there: nothing is fetched
    (place / "testset.csv").unlink()
    with pytest.raises(UserError, match="testset.csv has SHA-256 .*: it is not used"):
        download(place, source=resources.as_uri())
    (resources / "testset.csv").unlink()
    with pytest.raises(
        UserError, match="testset.csv could not be downloaded.*name its folder as data.mimic3_res"
    ):
        download(place, source=resources.as_uri())


def test_the_pinned_addresses():
    assert module.SOURCE.endswith("/YerevaNN/mimic3-benchmarks/ea0314c7cbd369f62e2237ace6f683740f867e3a")
    assert {len(digest) for _, digest in module.FILES.values()} == {64}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("testset.csv", "1,0\nx,1\n", "line 2: 'x,1' is not a patient number"),
        ("valset.csv", "1,2\n", "line 1: '1,2' is not a patient number, a comma, and 0 or 1"),
        ("itemid_to_variable_map.csv", "LEVEL2,ITEMID\nGlucose,1\n", "no column 'STATUS'"),
        ("hcup_ccs_2015_definitions.yaml", "- 1\n", "each group needs 'codes' and 'use_in_benchmark'"),
        ("hcup_ccs_2015_definitions.yaml", "A: {codes: ['1'], use_in_benchmark: no}", "no group has 'use_in"),
    ],
)
def test_mistakes_are_placed(resources, name, text, message):
    (resources / name).write_text(text)
    with pytest.raises(UserError, match=message):
        read_resources(resources)


def test_a_missing_file_and_an_unknown_variable_are_named(tmp_path):
    with pytest.raises(UserError, match=r"no testset.csv in"):
        read_resources(tmp_path)
    folder = write_resources(tmp_path)
    path = folder / "itemid_to_variable_map.csv"
    path.write_text(path.read_text().replace("Height,", "Hight,"))
    with pytest.raises(UserError, match="Hight are no variables of the benchmark"):
        read_resources(folder)
