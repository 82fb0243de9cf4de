"""A published normaliser's state is read; a pickle that holds anything but data is refused."""

import os
import pickle

import numpy as np
import pytest
from tests.mimic3.tables import simple_tables

from clinbench.cohorts import mimic3_benchmark
from clinbench.cohorts.channels import FEATURES, REAL_FEATURES
from clinbench.cohorts.normaliser_state import read_state
from clinbench.errors import UserError

RNG = np.random.default_rng(0)
STATE = {"means": RNG.normal(size=76), "stds": RNG.uniform(1, 2, 76)}
# What Python 2 wrote: protocol 2, the array's bytes as text in latin 1, the old name of the module.
PYTHON_2 = (
    b"\x80\x02}q\x01(U\x05meansq\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nq\x04K\x00\x85U\x01b"
    b"\x87Rq\x05(K\x01K\x4c\x85cnumpy\ndtype\nq\x06U\x02f8K\x00K\x01\x87Rq\x07(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff"
    b"\xff\xffK\x00tb\x89T%btb%s.".replace(b"%b", (76 * 8).to_bytes(4, "little") + STATE["means"].tobytes())
)


def write(path, value, protocol=2):
    path.write_bytes(pickle.dumps(value, protocol=protocol))
    return path


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_state_is_read(tmp_path, protocol):
    found = read_state(write(tmp_path / "ihm.normalizer", STATE, protocol), REAL_FEATURES)
    columns = [FEATURES.index(name) for name in REAL_FEATURES]
    assert found["features"] == REAL_FEATURES
    assert found["means"] == STATE["means"][columns].tolist()
    assert found["stds"] == STATE["stds"][columns].tolist()


def test_a_state_of_python_2_is_read(tmp_path):
    stds = b"U\x04stdsq\x08h\x03h\x04K\x00\x85U\x01b\x87R(K\x01K\x4c\x85h\x07\x89T%btbu"
    stds = stds.replace(b"%b", (76 * 8).to_bytes(4, "little") + STATE["stds"].tobytes())
    (tmp_path / "x").write_bytes(PYTHON_2.replace(b"%s", stds))
    found = read_state(tmp_path / "x", REAL_FEATURES)
    assert found["means"][0] == STATE["means"][2] and found["stds"][0] == STATE["stds"][2]


class Attack:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("function", [os.system, eval, open, np.load, getattr])
def test_code_is_never_run(tmp_path, function):
    mark = tmp_path / "ran"
    path = write(tmp_path / "x", {**STATE, "more": Attack(function, f"{mark}", "w")})
    with pytest.raises(UserError, match="neither data nor an array"):
        read_state(path, REAL_FEATURES)
    assert not mark.exists()


class Given(Attack):
    """Called, then given a state."""

    def __init__(self, function, arguments, state):
        self.call = function, arguments, state


OBJECTS = (3, "|", None, ("f0",), {"f0": (np.dtype("O"), 0)}, 8, 1, 0)
VECTOR = Attack(np._core.multiarray._reconstruct, np.ndarray, (0,), b"b")
FLOAT = Given(np.dtype, ("f8", False, True), (3, "<", None, None, None, -1, -1, 0))


def stated(*state):
    return Given(*VECTOR.call, (1, *state))


@pytest.mark.parametrize(
    "means",
    [
        Attack(np.ndarray, (76,), "O", b"A" * 76 * 8),
        Attack(np.ndarray, (1 << 33,)),
        Attack(np.ndarray, (76,)),
        Given(np.dtype, ("V8", False, True), OBJECTS),
        Given(np.dtype, ("f8", False, True), OBJECTS),
        Given(np.ndarray, ((76,), Given(np.dtype, ("V8", False, True), OBJECTS), b"A" * 76 * 8), None),
        VECTOR,
        stated((76,), np.dtype("O"), False, [None] * 76),
        stated((76,), np.dtype("f4"), False, b"A" * 76 * 4),
        stated((77,), FLOAT, False, b"A" * 76 * 8),
        stated((76, 1), FLOAT, False, b"A" * 76 * 8),
        stated((-76,), FLOAT, False, b""),
        stated((76,), FLOAT, False, [1.0] * 76),
        [0.0] * 76,
        b"x" * 40_000,
    ],
)
def test_no_array_but_plain_vectors_is_ever_made(tmp_path, means):
    """A subprocess of its own would be killed by some of these without the loader's own objects."""
    with pytest.raises(UserError, match="can be read safely"):
        read_state(write(tmp_path / "x", {**STATE, "means": means}), REAL_FEATURES)


@pytest.mark.parametrize("name", ["c_codecs\nencode\n", "cnumpy\nndarray\n", "cnumpy\ndtype\n"])
@pytest.mark.parametrize("attribute", ["__defaults__", "__call__", "__class__"])
def test_what_a_name_stands_for_cannot_be_changed(tmp_path, name, attribute):
    path, text = tmp_path / "x", attribute.encode()
    state = b"N}X" + len(text).to_bytes(4, "little") + text + b"(X\x06\x00\x00\x00latin1tst"
    path.write_bytes(b"\x80\x02" + name.encode() + b"(" + state + b"b.")
    with pytest.raises(UserError, match="can be read safely") as raised:
        read_state(path, REAL_FEATURES)
    assert isinstance(raised.value.__cause__, (AttributeError, TypeError))


def test_a_deep_pickle_is_refused_and_reserves_nothing(tmp_path):
    for content in (b"\x80\x02}(" + b")" + b"\x85" * 30_000 + b"Nu.", b"\x80\x02Nr\xff\xff\xff\xff."):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(UserError, match="can be read safely"):
            read_state(tmp_path / "x", REAL_FEATURES)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"means": STATE["means"]}, "not a normaliser's state.*'stds'"),
        ([1, 2], "not a normaliser's state"),
        ({"means": np.zeros(59), "stds": np.ones(59)}, "76 each were expected"),
        ({"means": np.full(76, np.nan), "stds": np.ones(76)}, "a mean is not finite"),
        ({"means": np.zeros(76), "stds": np.zeros(76)}, "a standard deviation not above 0"),
    ],
)
def test_other_content_is_refused(tmp_path, value, message):
    with pytest.raises(UserError, match=message):
        read_state(write(tmp_path / "x", value), REAL_FEATURES)


def test_damage_and_absence_are_named(tmp_path):
    path = write(tmp_path / "x", STATE)
    path.write_bytes(path.read_bytes()[:-20])
    for place in (path, tmp_path / "none"):
        with pytest.raises(UserError, match="cannot|can be read safely"):
            read_state(place, REAL_FEATURES)


def test_it_standardises_the_cohort(prepare, tmp_path):
    path = write(tmp_path / "state.normalizer", STATE)
    target, options = tmp_path / "folders", {"normaliser_state": str(path)}
    _, load = prepare(simple_tables([(14, 5, "77")]), write_benchmark_folders=str(target), **options)
    column = FEATURES.index("Mean blood pressure")
    expected = (77.0 - STATE["means"][column]) / STATE["stds"][column]
    read = mimic3_benchmark.load({"mimic3_benchmark": target}, options, None, "mortality")
    for cohort in (load("mortality"), read):
        assert cohort.values[4, column] == pytest.approx(expected)
        assert cohort.info["normaliser"]["file"] == "state.normalizer"
